import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { connectRaw, type RawClient } from "./raw-client.ts";

let database: TestDatabase;
let raw: RawClient;
beforeAll(async () => {
  database = await openTestDatabase();
  raw = await connectRaw(database.server.uri);
});
afterAll(async () => {
  raw.close();
  await database.close();
});

const stored = (name: string): Promise<Document[]> => database.db.collection(name).find().toArray();

describe("the wire protocol", () => {
  it("greets over OP_QUERY as the primary of a replica set", async () => {
    expect(await raw.query({ ismaster: 1, helloOk: true })).toMatchObject({
      ok: 1,
      ismaster: true,
      helloOk: true,
      setName: "embedded",
      maxWireVersion: 25,
      logicalSessionTimeoutMinutes: 30,
      maxBsonObjectSize: 16777216,
    });
  });

  it("accepts document sequences beside the body, with and without a checksum", async () => {
    const insert = { insert: "sequence", $db: "test" };
    expect(await raw.send(insert, { sequence: ["documents", [{ _id: 1 }, { _id: 2 }]] })).toMatchObject({
      ok: 1,
      n: 2,
    });
    expect(await raw.send(insert, { sequence: ["documents", [{ _id: 3 }]], checksum: true })).toMatchObject({
      ok: 1,
      n: 1,
    });
    expect(await stored("sequence")).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  });

  it("does not answer a message with the flag moreToCome", async () => {
    await raw.send({ insert: "silent", documents: [{ _id: 1 }], $db: "test" }, { moreToCome: true });
    expect(await raw.send({ find: "silent", $db: "test" })).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
  });

  it("assembles messages that arrive in parts", async () => {
    const documents = [{ _id: 1, text: "x".repeat(200) }];
    expect(await raw.send({ insert: "pieces", documents, $db: "test" }, { pieces: 7 })).toMatchObject({ ok: 1, n: 1 });
  });

  it("refuses invalid BSON and keeps the connection", async () => {
    const broken = Buffer.from(
      "290000000900000000000000dd070000000000000014000000100000000100000061000500000000",
      "hex",
    );
    broken.writeInt32LE(broken.length, 0);
    raw.write(broken);
    expect(await raw.send({ ping: 1, $db: "admin" })).toMatchObject({ ok: 1 });
  });

  it("closes a connection that sends an impossible length, and serves the others", async () => {
    const bad = await connectRaw(database.server.uri);
    const message = Buffer.alloc(16);
    message.writeInt32LE(2_000_000_000, 0);
    bad.write(message);
    await bad.closed;
    expect(await raw.send({ ping: 1, $db: "admin" })).toMatchObject({ ok: 1 });
  });
});
