import { MongoClient } from "mongodb";
import * as z from "zod";
import { readSecret } from "#shared/foundation/aws/secrets";
import { env } from "#shared/foundation/env";

/** The secret's value: cluster name → MongoDB URI. The base database lives on `default`. */
const clusterUris = z.record(z.string(), z.string().startsWith("mongodb"));

export const DEFAULT_CLUSTER = "default";

/**
 * One client per cluster and execution environment. An environment serves one request at a time, and a request has at
 * most a few reads in flight, so the pool stays small: connections to a cluster = environments × this (docs/scale.md).
 */
const POOL_SIZE = 4;

let uris: Promise<Readonly<Record<string, string>>> | undefined;
/** At most one for each cluster in the secret. */
const clients = new Map<string, Promise<MongoClient>>();

const readUris = async (): Promise<Readonly<Record<string, string>>> => {
  const parsed = clusterUris.safeParse(JSON.parse(await readSecret(env.mongodbSecretArn())));
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

export const clusterNames = async (): Promise<readonly string[]> => Object.keys(await knownUris());

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

/** The client of a cluster. A failed connection is not kept, so the next request tries again. */
export const clusterClient = (cluster: string): Promise<MongoClient> => {
  let client = clients.get(cluster);
  if (client === undefined) {
    client = connect(cluster);
    clients.set(cluster, client);
    client.catch(() => clients.delete(cluster));
  }
  return client;
};
