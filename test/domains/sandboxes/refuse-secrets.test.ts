import { Binary, type Document } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { standardSchemas } from "#shared/data/schema/schema";
import { refuseSecrets } from "#shared/sandboxes/run/refuse-secrets";
import { openTestDatabase, type TestDatabase } from "../../local/mongo/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const binary = (text: string): Binary => new Binary(Buffer.from(text));
const sealed = binary("sealed");
const encrypted = { key: "k", iv: binary("i"), tag: binary("t"), text: binary("encrypted") };

const standard = standardSchemas().find(({ api_name }) => api_name === "app");
const properties = { ...standard?.properties, motto: { ...standard?.properties.name, id: "motto", api_name: "motto" } };
const appSchema = { ...standard, _id: "app", properties };

/** Copies of the schemas and of the given documents. */
const check = async (documents: Readonly<Record<string, Document>>): Promise<void> => {
  const schemas = await database.seed(appSchema as Document);
  const copies = [{ to: "schemas", from: schemas.collectionName }];
  for (const [to, document] of Object.entries(documents))
    copies.push({ to, from: (await database.seed(document)).collectionName });
  const own = <T extends Document>(collection: string, pipeline: readonly Document[]): Promise<T[]> =>
    database.db
      .collection(collection)
      .aggregate<T>([...pipeline])
      .toArray();
  await refuseSecrets({ own }, copies);
};

test("copies without encrypted values are accepted", async () => {
  await check({ app: { _id: 1, name: "Shop", motto: "Buy" }, role: { _id: 1 }, user: { _id: 1, name: "Ada" } });
});

test.each([
  ["a sealed text of a field that the organization added", "app", { motto: sealed }],
  ["an encrypted text of a field that the organization added", "app", { motto: encrypted }],
  ["a sealed text of a user", "user", { phone: sealed }],
  ["an encrypted text of a user", "user", { phone: encrypted }],
  ["an encrypted text of an object without a schema", "value_list", { name: encrypted }],
])("a copy is refused that has %s", async (_, to, fields) => {
  const message = `The copy of "${to}" has an encrypted value.`;
  await expect(check({ [to]: { _id: 1, ...fields } })).rejects.toMatchObject({ name: "internal_error", message });
});
