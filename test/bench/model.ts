import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MongoClient } from "mongodb";
import { resolveSchema, storedSchema } from "#shared/data/schema/object-schema";
import { schemaOf, schemasOf, standardSchemas } from "#shared/data/schema/schema";
import { tenantDatabase } from "#shared/tenant/database";
import type { Tenant } from "#shared/tenant/tenant";
import { firstCopy } from "../setup/first-copy.ts";
import { comparePair, median } from "./measure.ts";
import { line, ratio } from "./print.ts";

const OBJECTS = 500;
const FIELDS = 50;
const ROUNDS = 300;

const fieldOf = (index: number) => ({
  api_name: `field_${index}`,
  name: `Field number ${index}`,
  type: "string" as const,
  required: false,
  description: "What somebody has written about the field.",
  ...(index % 5 === 0 ? { format: "enum" as const, values: ["New", "Open", "Waiting", "Done"], restricted: true } : {}),
});

const objectOf = (index: number) => {
  const [known] = standardSchemas();
  const properties = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, field) => [fieldOf(field).api_name, fieldOf(field)] as const),
  );
  const id = `object_${index}`;
  return storedSchema(
    resolveSchema({
      ...known,
      id,
      _id: id,
      api_name: id,
      name: `Object ${index}`,
      custom: true,
      required: [],
      properties,
    }),
  );
};

/** An organization whose model is that large. Every read of it is told a new version, so that nothing is cached. */
const organizationWith = async (client: MongoClient, objects: number): Promise<() => Tenant> => {
  const id = `org_model_${objects}`;
  const db = client.db(id);
  await db
    .collection<{ _id: string }>("schemas")
    .insertMany(Array.from({ length: objects }, (_, index) => objectOf(index)));
  const database = tenantDatabase(client, db, firstCopy(id));
  let schema_version = 0;
  return () => {
    schema_version += 1;
    return { ...database, state: { schema_version } } as unknown as Tenant;
  };
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const collected = (): number => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

/** Time and memory of a model of 500 objects with 50 fields each, against one of five objects. */
export const benchModel = async (uri: string): Promise<void> => {
  const client = await new MongoClient(uri).connect();
  const [large, small] = [await organizationWith(client, OBJECTS), await organizationWith(client, 5)];
  const one = await comparePair(
    () => timed(() => schemaOf(large(), "object_3")),
    () => timed(() => schemaOf(small(), "object_3")),
    ROUNDS,
  );
  ratio(`one object read of ${OBJECTS} with ${FIELDS} fields ÷ of 5`, one, 1.5);
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) times.push(await timed(() => schemasOf(large())));
  line(`all ${OBJECTS} objects read and checked`, `${median(times).toFixed(0)} ms`);
  const before = collected();
  const tenant = large();
  const kept = await schemasOf(tenant);
  for (const name of Object.keys(kept)) await schemaOf(tenant, name);
  const megabytes = collected() - before;
  line("", `${megabytes.toFixed(1)} MB`, `both caches; target ≤ 64 MB ${megabytes <= 64 ? "met" : "missed"}`);
  await client.close();
};
