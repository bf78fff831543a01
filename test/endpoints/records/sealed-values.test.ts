import { createHash } from "node:crypto";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { Binary, type Db, type Document, type MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";

type Stored = Document & { _id: string };
type Opener = typeof import("#shared/data/records/sealed-values").openValue;

const SECRET = "sk_live_never_in_plain_text";

let owner: User;
let mongo: MongoClient;
let database: Db;
/** The vendor adapter's call, in this process instead of its function. */
let openValue: Opener;

beforeAll(async () => {
  owner = await registerOrganization();
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
  const { awsEndpoint, region, credentials, stage } = inject("platform");
  const parameters = new SSMClient({ endpoint: awsEndpoint, region, credentials });
  const name = `/tenantry/${stage}/data-key-arn`;
  const { Parameter } = await parameters.send(new GetParameterCommand({ Name: name }));
  Object.assign(process.env, {
    DATA_KEY_ARN: Parameter?.Value,
    AWS_REGION: region,
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  });
  ({ openValue } = await import("#shared/data/records/sealed-values"));
});

afterAll(() => mongo.close());

const credential = (value: unknown, name = "Mail") => ({ name, provider: "mail", value });

const create = (body: unknown, headers: Record<string, string> = {}) =>
  http.post("/v1/object/auth_credential", { token: owner.token, body, headers });

const change = (path: string, body: unknown) =>
  http.patch(`/v1/object/auth_credential${path}`, { token: owner.token, body });

const stored = async (id: string): Promise<Stored> => {
  const found = await database.collection<Stored>("auth_credential").findOne({ _id: id });
  if (found === null) throw new Error(`there is no record ${id}`);
  return found;
};

const placeOf = (record: string) => ({
  organization: owner.organizationId,
  object: "auth_credential",
  record,
  field: "value",
});

const opened = async (id: string): Promise<unknown> => openValue((await stored(id)).value, placeOf(id));

/** Everything in the organization's database, and the keyed requests in the base database, byte for byte. */
const everythingStored = async (): Promise<string> => {
  const own = (await database.listCollections().toArray()).map(({ name }) => database.collection(name));
  const base = ["audit", "idempotency_key"].map((name) => mongo.db("base").collection(name));
  const texts: string[] = [];
  for (const collection of [...own, ...base]) {
    for await (const document of collection.find({}, { raw: true }))
      texts.push(Buffer.from(document as never).toString("latin1"));
  }
  return texts.join("\n");
};

describe("the value of a credential", () => {
  it.each([
    ["a text", `${SECRET}-text`],
    ["an object", { user: "u", password: `${SECRET}-object`, nested: { list: [1, "two", null, true] } }],
    ["a list", [`${SECRET}-list`, 2]],
    ["a number", 42.5],
    ["false", false],
    ["text beyond ASCII", "пароль-🔑-\u0000"],
    ["an object that looks like a sealed one", { key: "a", iv: "b", tag: "c", text: "d" }],
  ])("is sealed and opens as it was set: %s", async (_, value) => {
    const { status, body, text } = await create(credential(value));
    expect(status).toBe(201);
    expect(text).not.toContain(SECRET);
    expect(body).not.toHaveProperty("value");
    const { value: lies } = await stored(body.id);
    expect(Object.keys(lies).sort()).toEqual(["iv", "key", "tag", "text"]);
    expect(await opened(body.id)).toEqual(value);
  });

  it("is sealed with a new data key for each record and each change", async () => {
    const { body } = await create([credential(SECRET, "One"), credential(SECRET, "Two")]);
    const before = await Promise.all(body.map(({ id }: { id: string }) => stored(id)));
    await change(`/${body[0].id}`, { value: SECRET });
    const values = [...before, await stored(body[0].id)].map(({ value }) => value);
    for (const part of ["key", "iv", "text"]) {
      expect(new Set(values.map((value) => value[part].toString("base64"))).size).toBe(3);
    }
  });

  it("can be decrypted for its own record only", async () => {
    const { body } = await create([credential("one"), credential("two")]);
    const [one, two] = body;
    const { value } = await stored(one.id);
    await expect(openValue(value, placeOf(two.id))).rejects.toMatchObject({ name: "InvalidCiphertextException" });
    for (const other of [{ organization: "org_0000000000000000" }, { object: "lead" }, { field: "name" }]) {
      await expect(openValue(value, { ...placeOf(one.id), ...other })).rejects.toThrow();
    }
    expect(await openValue(value, placeOf(one.id))).toBe("one");
  });

  it("is sealed when it is changed, alone and in a batch, and stays the same when other fields are changed", async () => {
    const { body } = await create([credential("a"), credential("b"), credential("c")]);
    const [a, b, c] = body.map(({ id }: { id: string }) => id);
    expect((await change(`/${a}`, { value: { token: "a2" } })).status).toBe(200);
    expect((await change("", { id: b, value: "b2" })).status).toBe(200);
    const both = await change("", [
      { id: a, value: "a3" },
      { id: c, value: ["c2"], name: "Renamed" },
    ]);
    expect(both.status).toBe(200);
    expect((await change(`/${b}`, { name: "Renamed" })).status).toBe(200);
    expect(await Promise.all([opened(a), opened(b), opened(c)])).toEqual(["a3", "b2", ["c2"]]);
  });

  it("is sealed in each record of the largest batch", async () => {
    const all = Array.from({ length: 500 }, (_, index) => credential(`${SECRET}-${index}`, `Credential ${index}`));
    const { status, body } = await create(all);
    expect([status, body.length]).toEqual([201, 500]);
    expect(await Promise.all([0, 250, 499].map((index) => opened(body[index].id)))).toEqual([
      `${SECRET}-0`,
      `${SECRET}-250`,
      `${SECRET}-499`,
    ]);
  });

  it("from before sealing is read unchanged until it is set again", async () => {
    const { body } = await create(credential("new"));
    const plain = { key: "plain", iv: 1 };
    for (const value of ["text", plain, ["list"], { key: "k", iv: "i", tag: "t", text: "x" }]) {
      await database.collection<Stored>("auth_credential").updateOne({ _id: body.id }, { $set: { value } });
      expect(await opened(body.id)).toEqual(value);
      expect((await change(`/${body.id}`, { name: "Renamed" })).status).toBe(200);
      expect(await opened(body.id)).toEqual(value);
    }
    await change(`/${body.id}`, { value: plain });
    expect((await stored(body.id)).value.key).toBeInstanceOf(Binary);
    expect(await opened(body.id)).toEqual(plain);
  });
});

describe("the value of a credential is stored nowhere else", () => {
  it("neither in the database, including keyed requests, nor in any reply", async () => {
    const value = { token: `${SECRET}-anywhere` };
    const headers = { "idempotency-key": "sealed" };
    const first = await create(credential(value), headers);
    const again = await create(credential(value), headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const updated = await change(`/${first.body.id}`, { value: { token: `${SECRET}-anywhere-else` } });
    const { token } = owner;
    const answers = [
      first,
      again,
      updated,
      await http.get(`/v1/object/auth_credential/${first.body.id}`, { token, expect: 200 }),
      await http.get("/v1/object/auth_credential", { token, expect: 200 }),
      await http.get("/v1/query", { token, query: { q: "SELECT * FROM auth_credential" }, expect: 200 }),
      await http.get("/v1/query", { token, query: { q: "EXPLAIN SELECT * FROM auth_credential" }, expect: 200 }),
      await http.post("/v1/query/docdb", {
        token,
        body: { collection: "auth_credential", pipeline: [{ $match: { name: "Mail" } }] },
        expect: 200,
      }),
    ];
    const { value: sealed } = await stored(first.body.id);
    for (const { text } of answers) {
      expect(text).not.toContain(SECRET);
      for (const part of ["key", "iv", "tag", "text"]) expect(text).not.toContain(sealed[part].toString("base64"));
    }
    expect(await everythingStored()).not.toContain(SECRET);
  });

  it("nor in the audit trail of a superuser who sets it, also over an unsealed value", async () => {
    const { token } = await addUser(owner.organizationId, { isSuperuser: true });
    const path = "/v1/object/auth_credential";
    const body = credential(`${SECRET}-by-operator`);
    const { id } = (await http.post(path, { token, body, expect: 201 })).body;
    const records = database.collection<Stored>("auth_credential");
    await records.updateOne({ _id: id }, { $set: { value: `${SECRET}-of-before` } });
    await http.patch(`${path}/${id}`, { token, body: { value: `${SECRET}-again` }, expect: 200 });
    await http.delete(`${path}/${id}`, { token, expect: 200 });
    const entries = await database
      .collection("audit_entry")
      .find({ object: "auth_credential", record_id: id })
      .toArray();
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(["created", "updated", "deleted"]));
    expect(await everythingStored()).not.toContain(SECRET);
  });

  it("and cannot be guessed from what is stored of a keyed request", async () => {
    const body = { provider: "mail", name: "Guess", value: "1234" };
    const created = await http.post("/v1/object/auth_credential", {
      token: owner.token,
      body,
      headers: { "idempotency-key": "a key that nobody knows" },
      expect: 201,
    });
    const kept = await database.collection("idempotency_key").findOne({ result: created.body.id });
    const asked = JSON.stringify(["/v1/object/auth_credential", "", body]);
    expect(kept?.body_hash).toMatch(/^[\w-]{43}$/);
    expect(kept?.body_hash).not.toBe(createHash("sha256").update(asked).digest("base64url"));
  });

  it("and is not repeated in errors, at any position in the body", async () => {
    const { body: record } = await create(credential("set"));
    const refused = [
      await create(SECRET),
      await create([SECRET, credential("ok")]),
      await create({ name: "No provider", value: SECRET }),
      await create({ name: SECRET.length, provider: "mail", value: { [`$${"x"}`]: SECRET } }),
      await create(credential({ deep: { "a.b": SECRET } })),
      await create({ ...credential(SECRET), type: "unknown" }),
      await create({ ...credential("ok"), values: SECRET }),
      await change(`/${record.id}`, SECRET),
      await change(`/${record.id}`, { value: "" }),
      await change("", [SECRET]),
      await change("", { value: SECRET }),
      await change("/nowhere", { value: SECRET }),
    ];
    for (const { status, text } of refused) {
      expect([404, 422]).toContain(status);
      expect(text).not.toContain(SECRET);
    }
    expect(await opened(record.id)).toBe("set");
  });
});
