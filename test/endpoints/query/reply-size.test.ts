import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";

/** A quote takes two bytes in JSON, and four in Lambda's result, which holds the JSON as a string. */
const QUOTES = 60_000;
const RECORDS = 40;
/** A row has four bytes for each quote and a little more; 6,000,000 are the limit. */
const FITTING = 24;

let owner: User;

const name = (index: number): string => `${String(index).padStart(2, "0")}${'"'.repeat(QUOTES)}`;
const numbers = (records: readonly { name: string }[]): number[] => records.map((one) => Number(one.name.slice(0, 2)));
const from = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, index) => start + index);

/** A lower bound of the size of Lambda's result. */
const escaped = (text: string): number => Buffer.byteLength(JSON.stringify(text));

beforeAll(async () => {
  owner = await registerOrganization();
  for (let first = 0; first < RECORDS; first += 8) {
    const body = from(first, first + 8).map((index) => ({ name: name(index) }));
    await http.post("/v1/object/note", { token: owner.token, body, expect: 201 });
  }
});

describe("a reply that fits as JSON but not as Lambda's result", () => {
  it("is truncated, and a query's cursor continues", async () => {
    const query = "SELECT name FROM note ORDER BY name";
    const first = await http.post("/v1/query", { token: owner.token, body: { query }, expect: 200 });
    expect(escaped(first.text)).toBeLessThan(6_000_000);
    expect(first.body).toMatchObject({ truncated: true, next_offset: FITTING });
    expect(numbers(first.body.records)).toEqual(from(0, FITTING));
    const { next_cursor: cursor } = first.body;
    const rest = await http.post("/v1/query", { token: owner.token, body: { query, cursor }, expect: 200 });
    expect(numbers(rest.body.records)).toEqual(from(FITTING, RECORDS));
    expect(rest.body).not.toHaveProperty("truncated");
  });

  it("is truncated as NDJSON too", async () => {
    const reply = await http.post("/v1/query", {
      token: owner.token,
      body: { query: "SELECT name FROM note ORDER BY name" },
      headers: { accept: "application/x-ndjson" },
      expect: 200,
    });
    expect(reply.headers.get("x-truncated")).toBe("true");
    const rows = reply.text.trimEnd().split("\n");
    expect(numbers(rows.map((row) => JSON.parse(row)))).toEqual(from(0, FITTING));
  });

  it("is truncated for a pipeline", async () => {
    const pipeline = [{ $sort: { name: 1 } }, { $project: { name: 1 } }];
    const reply = await http.post("/v1/query/docdb", {
      token: owner.token,
      body: { collection: "note", pipeline },
      expect: 200,
    });
    expect(reply.headers.get("x-truncated")).toBe("true");
    expect(numbers(reply.body)).toEqual(from(0, FITTING));
  });

  it("is truncated for a list of records, whose link continues", async () => {
    const list = (query: object) =>
      http.get("/v1/object/note", { token: owner.token, query: { ...query }, expect: 200 });
    const first = await list({ limit: 100, order_by: "name" });
    expect(first.headers.get("x-truncated")).toBe("true");
    expect(first.headers.get("link")).toMatch(/[?&]offset=24&.*rel="next"/);
    expect(numbers(first.body)).toEqual(from(0, FITTING));
    expect(numbers((await list({ limit: 100, offset: FITTING, order_by: "name" })).body)).toEqual(
      from(FITTING, RECORDS),
    );
  });

  it("has only the ids of changed records that do not fit", async () => {
    const { body: found } = await http.post("/v1/query", {
      token: owner.token,
      body: { query: "SELECT id FROM note ORDER BY name" },
      expect: 200,
    });
    const ids: string[] = found.records.map((record: { id: string }) => record.id);
    const body = ids.map((id) => ({ id, shared_with: [] }));
    const reply = await http.patch("/v1/object/note", { token: owner.token, body, expect: 200 });
    expect(reply.headers.get("x-truncated")).toBe("true");
    expect(reply.body.map((record: { id: string }) => record.id)).toEqual(ids);
    expect(numbers(reply.body.slice(0, FITTING))).toEqual(from(0, FITTING));
    expect(reply.body.slice(FITTING)).toEqual(ids.slice(FITTING).map((id) => ({ id })));
  });
});

describe("a value that is too large for a reply: 422", () => {
  it("refuses a single row that is too large, with advice", async () => {
    const columns = Array.from({ length: 30 }, (_, index) => `name AS n${index}`).join(", ");
    const query = `SELECT ${columns} FROM note LIMIT 1`;
    const { body } = await http.post("/v1/query", { token: owner.token, body: { query }, expect: 422 });
    expect(body.detail).toEqual([
      expect.objectContaining({
        type: "result_too_large",
        msg: "Line 1, column 1: One row of the result is larger than a reply may be (5 MB). Select fewer columns.",
      }),
    ]);
  });

  it("refuses a single document of a pipeline that is too large", async () => {
    const pipeline = [{ $group: { _id: null, names: { $push: "$name" } } }];
    const { body } = await http.post("/v1/query/docdb", {
      token: owner.token,
      body: { collection: "note", pipeline },
      expect: 422,
    });
    expect(body.detail[0]).toMatchObject({ type: "result_too_large" });
  });

  it("refuses a record that would become too large for a reply", async () => {
    const fields = from(0, 7).map((index) => `t${index}`);
    const body = { name: "Blob", fields: fields.map((name) => ({ name, type: "string", format: "text-area" })) };
    await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
    const { body: blob } = await http.post("/v1/object/blob", {
      token: owner.token,
      body: { name: "Blob" },
      expect: 201,
    });
    const path = `/v1/object/blob/${blob.id}`;
    // One byte each in the database, six in JSON and seven in Lambda's result.
    const text = "\u0001".repeat(120_000);
    for (const field of fields.slice(0, 6)) {
      await http.patch(path, { token: owner.token, body: { [field]: text }, expect: 200 });
    }
    const refused = await http.patch(path, { token: owner.token, body: { t6: text }, expect: 422 });
    expect(refused.body.detail).toEqual([
      expect.objectContaining({
        type: "record_too_large",
        msg: "As JSON the record would be larger than a reply may be.",
      }),
    ]);
    await http.get(path, { token: owner.token, expect: 200 });
  });

  it("names at most 1,000 issues, with cut names", async () => {
    const long = `x${"y".repeat(100_000)}`;
    const fields = Object.fromEntries(from(0, 50_000).map((index) => [`k${index}`, 1]));
    const { body, text } = await http.post("/v1/query/docdb", {
      token: owner.token,
      body: { collection: "note", pipeline: [], ...fields, [long]: 1 },
      expect: 422,
    });
    expect(body.detail).toHaveLength(1_000);
    expect(text.length).toBeLessThan(200_000);
    const alone = await http.post("/v1/query/docdb", {
      token: owner.token,
      body: { collection: "note", pipeline: [], [long]: 1 },
      expect: 422,
    });
    expect(alone.body.detail[0].loc).toEqual(["body", `${long.slice(0, 200)}…`]);
  });
});
