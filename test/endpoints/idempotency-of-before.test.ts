import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, mailsTo, registerOrganization, type User } from "../platform.ts";
import { beginTransaction } from "../setup/begin-transaction.ts";

type Stored = Document & { _id: string };

let owner: User;
let mongo: MongoClient;
let database: Db;

beforeAll(async () => {
  owner = await registerOrganization();
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
});

afterAll(() => mongo.close());

const post = (key: string, body: unknown, object = "lead") =>
  http.post(`/v1/object/${object}`, { token: owner.token, body, headers: { "idempotency-key": key } });

const create = (key: string, name: string) => post(key, { name });

const count = (name: string): Promise<number> => database.collection("lead").countDocuments({ name });

const replayed = ({ headers }: { headers: Headers }): string | null => headers.get("idempotency-replayed");

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

const sha256 = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64url");

const CREATE = "POST /v1/object/{object}";

const keyIdOf = (key: string, route = CREATE): string => sha256([owner.organizationId, owner.id, route, key]);

const markIdOf = (key: string, path: string, body: object): string => sha256([keyIdOf(key), sha256([path, "", body])]);

/** What an earlier version stored for a new lead, without anything that is stored today. */
const storeAsBefore = async (key: string, body: object, entry: object, documents?: readonly Document[]) => {
  const body_hash = sha256(["/v1/object/lead", "", body]);
  const expires_at = inMinutes(60);
  const old = { _id: keyIdOf(key), body_hash, lease_id: "old", lease_until: inMinutes(-1), answer: null, expires_at };
  await mongo
    .db("base")
    .collection<Stored>("idempotency_key")
    .insertOne({ ...old, ...entry });
  const mark = { _id: markIdOf(key, "/v1/object/lead", body), result: documents, expires_at };
  if (documents !== undefined) await database.collection<Stored>("request_mark").insertOne(mark);
};

describe("an Idempotency-Key from before the keys moved out of the base database", () => {
  it("gives the result of its request, which takes effect once", async () => {
    const body = { name: "Earlier" };
    const created = await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 });
    const document = await database.collection<Stored>("lead").findOne({ _id: created.body.id });
    const answer = { statusCode: 201, headers: {}, body: created.text };
    await storeAsBefore("e1", body, { answer }, [document ?? {}]);
    for (const again of [await post("e1", body), await post("e1", body)]) {
      expect([again.status, again.body, replayed(again)]).toEqual([201, created.body, "true"]);
    }
    expect(await count("Earlier")).toBe(1);
    await storeAsBefore("e2", body, {}, [document ?? {}]);
    expect((await post("e2", body)).body).toEqual(created.body);
  });

  it("sends no mail again", async () => {
    const route = "/v1/auth/email/confirmation";
    const before = (await mailsTo(owner.email)).length;
    const answer = { statusCode: 202, headers: {}, body: "{}" };
    const entry = { _id: keyIdOf("m1", `POST ${route}`), body_hash: sha256([route, "", null]), answer };
    await storeAsBefore("m1", {}, entry);
    const again = await http.post(route, { token: owner.token, headers: { "idempotency-key": "m1" }, expect: 202 });
    expect([replayed(again), again.body.detail]).toEqual(["true", `A mail is on its way to ${owner.email}.`]);
    expect(await mailsTo(owner.email)).toHaveLength(before);
  });

  it("is refused with another body, and for a second request while the first runs", async () => {
    await storeAsBefore("e3", { name: "Another" }, {});
    expect((await create("e3", "Other body")).body.detail[0].type).toBe("idempotency_key_reused");
    await storeAsBefore("e4", { name: "Running" }, { lease_until: inMinutes(0.5) });
    expect((await create("e4", "Running")).body.code).toBe("idempotency_in_flight");
    await storeAsBefore("e5", { name: "Died" }, {});
    expect((await create("e5", "Died")).status).toBe(201);
    await storeAsBefore("e6", { name: "Expired" }, { answer: { body: "" }, expires_at: inMinutes(-1) });
    expect((await create("e6", "Expired")).status).toBe(201);
  });

  it("is not carried out again if a function of the earlier version wrote at the same time", async () => {
    const permission = (name: string) => ({ name, object_permissions: {} });
    await post("e8", permission("First"), "permission");
    const state = database.collection<Stored>("organization_state");
    await mongo.withSession(async (session) => {
      const hold = () => state.updateOne({ _id: owner.organizationId }, { $set: { held: true } }, { session });
      await beginTransaction(session, hold);
      const late = post("e9", permission("Twice"), "permission");
      while ((await database.collection("idempotency_key").countDocuments({ result: null })) === 0) await sleep(5);
      // It must not write, whether it looks for the mark before or after there is one.
      await sleep(100);
      const _id = markIdOf("e9", "/v1/object/permission", permission("Twice"));
      const mark = { _id, result: [{ _id: "written-before" }], expires_at: inMinutes(60) };
      await database.collection<Stored>("request_mark").insertOne(mark);
      await session.abortTransaction();
      const again = (await late).status === 201 ? await late : await post("e9", permission("Twice"), "permission");
      expect([again.status, again.body, replayed(again)]).toEqual([201, { id: "written-before" }, "true"]);
    });
    expect(await database.collection("permission").countDocuments({ name: "Twice" })).toBe(0);
  });

  it("leaves a mark that a function of the earlier version would find", async () => {
    const { body } = await create("e7", "Deployment");
    const mark = { _id: markIdOf("e7", "/v1/object/lead", { name: "Deployment" }) };
    const found = await database.collection<Stored>("request_mark").findOne(mark);
    expect(found?.result).toEqual([{ _id: body.id }]);
  });
});
