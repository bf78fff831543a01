import { MongoClient } from "mongodb";
import * as z from "zod";
import { readSecret } from "#shared/foundation/aws/secrets";
import { env } from "#shared/foundation/env";

/** The value of a secret: cluster name → MongoDB URI. The base database lives on `default`. */
const clusterUris = z.record(z.string(), z.string().startsWith("mongodb"));

export const DEFAULT_CLUSTER = "default";

/**
 * One client per cluster and execution environment. An environment serves one request at a time, and a request has at
 * most a few reads in flight, so the pool stays small: connections to a cluster = environments × this (docs/scale.md).
 */
const POOL_SIZE = 4;

interface Clusters {
  /** The client of a cluster. A failed connection is not kept, so the next request tries again. */
  readonly client: (cluster: string) => Promise<MongoClient>;
  readonly names: () => Promise<readonly string[]>;
}

/** The clusters of one secret. Each secret has a database user of its own, and so clients of its own. */
const clustersOf = (secretArn: () => string): Clusters => {
  let uris: Promise<Readonly<Record<string, string>>> | undefined;
  /** At most one for each cluster in the secret. */
  const clients = new Map<string, Promise<MongoClient>>();

  const readUris = async (): Promise<Readonly<Record<string, string>>> => {
    const parsed = clusterUris.safeParse(JSON.parse(await readSecret(secretArn())));
    if (!parsed.success || parsed.data[DEFAULT_CLUSTER] === undefined) {
      throw new Error(
        `The MongoDB secret must be a JSON object of cluster names and URIs with at least "${DEFAULT_CLUSTER}".`,
      );
    }
    return parsed.data;
  };

  const knownUris = (): Promise<Readonly<Record<string, string>>> => {
    uris ??= readUris().catch((error: unknown) => {
      uris = undefined;
      throw error;
    });
    return uris;
  };

  const connect = async (cluster: string): Promise<MongoClient> => {
    let uri = (await knownUris())[cluster];
    if (uri === undefined) {
      // The cluster may have been added to the secret after this environment started.
      uris = undefined;
      uri = (await knownUris())[cluster];
    }
    if (uri === undefined) throw new Error(`The MongoDB secret has no URI for the cluster "${cluster}".`);
    return new MongoClient(uri, {
      appName: `tenantry-${env.stage()}`,
      maxPoolSize: POOL_SIZE,
      maxIdleTimeMS: 270_000,
      serverSelectionTimeoutMS: 5_000,
      ignoreUndefined: true,
      retryWrites: true,
      writeConcern: { w: "majority" },
      readPreference: "primary",
    }).connect();
  };

  return {
    client: (cluster) => {
      let client = clients.get(cluster);
      if (client === undefined) {
        client = connect(cluster);
        clients.set(cluster, client);
        client.catch(() => clients.delete(cluster));
      }
      return client;
    },
    names: async () => Object.keys(await knownUris()),
  };
};

/** The clusters as the database user of the platform sees them, which can neither drop nor rename. */
export const { client: clusterClient, names: clusterNames } = clustersOf(env.mongodbSecretArn);

/**
 * The same clusters for the database user that may also drop and rename. Only functions with the need `provisions` can
 * use it.
 */
export const { client: provisioningClient, names: provisioningClusterNames } = clustersOf(
  env.provisioningMongodbSecretArn,
);
