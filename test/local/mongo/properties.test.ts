import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from "bson";
import fc from "fast-check";
import type { Document } from "mongodb";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../../infra/local/mongo/server.ts";
import { compare } from "../../../infra/local/mongo/values/compare.ts";
import { Doc } from "../../../infra/local/mongo/values/document.ts";
import { withOwnBytes } from "../../../infra/local/mongo/values/encoding.ts";
import { encodeKey, invertKey } from "../../../infra/local/mongo/values/key.ts";
import type { Maybe } from "../../../infra/local/mongo/values/types.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { exactly, openTestDatabase, type Row, type TestDatabase, temporaryDirectory, typed } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -60, max: 60 }))
  .map(([c, e]) => Decimal128.fromString(`${c}E${e}`));
const numbers = fc.oneof(
  fc.integer().map((n) => new Int32(n)),
  fc.integer({ min: -3, max: 3 }).map((n) => new Int32(n)),
  fc.integer({ min: -3, max: 3 }).map((n) => new Double(n)),
  fc.double().map((n) => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc.integer({ min: -3, max: 3 }).map((n) => Long.fromNumber(n)),
  decimals,
  fc
    .constantFrom("0.5", "0.1", "1E3", "9007199254740993", "1E+6000", "-1E+6000", "1E-6000", "NaN", "Infinity", "-0")
    .map((text) => Decimal128.fromString(text)),
);
const strings = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("", "a", "b", "ab", "\0", "\u0001", "\uffff", "\ue000", "😀"),
);
const scalars = fc.oneof(
  numbers,
  strings,
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.uint8Array({ maxLength: 5 }).map((bytes) => new Binary(bytes)),
  fc.nat().map((i) => new Timestamp({ t: 1, i })),
  fc.constantFrom(new MinKey(), new MaxKey(), new BSONRegExp("a", "i"), new BSONRegExp("a")),
);
const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 5, arbitrary: scalars },
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "1"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const inside = (value: unknown): Maybe => Doc.at(Buffer.from(serialize({ value })), 0).get("value");

describe("the order of values", () => {
  it("is total, and encoded keys have the same order, ascending and descending", () => {
    fc.assert(
      fc.property(values, values, values, (x, y, z) => {
        const [a, b, c] = [inside(x), inside(y), inside(z)];
        const [ab, bc, ac] = [Math.sign(compare(a, b)), Math.sign(compare(b, c)), Math.sign(compare(a, c))];
        expect(Math.sign(compare(b, a)) + ab).toBe(0);
        expect(compare(a, a)).toBe(0);
        if (ab <= 0 && bc <= 0) expect(ac).toBeLessThanOrEqual(0);
        const order = (p: string, q: string): number => (p < q ? -1 : p > q ? 1 : 0);
        expect(order(encodeKey(a), encodeKey(b))).toBe(ab);
        expect(order(invertKey(encodeKey(a)), invertKey(encodeKey(b))) + ab).toBe(0);
      }),
      propertyRuns(3_000),
    );
  });

  it("is the same after writing and reading", () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = Buffer.from(serialize({ value }));
        const doc = Doc.at(bytes, 0);
        const written = withOwnBytes(Doc.of([...doc.keys], [...doc.values]));
        const again = (written.buf as Buffer).subarray(written.off, written.off + bytes.length);
        expect(again.equals(bytes)).toBe(true);
      }),
      propertyRuns(500),
    );
  });
});

const small = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.constantFrom("a", "b", null, 1.5),
  fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }),
);
const operand = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom("a", "b", null, 1.5));
const docs = fc.array(
  fc.record(
    {
      a: small,
      b: operand,
      n: fc.oneof(fc.record({ x: small }), fc.array(fc.record({ x: small, y: operand }), { maxLength: 2 })),
    },
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 25 },
);
const condition = fc.oneof(
  operand,
  fc.record({ $gt: operand }),
  fc.record({ $gte: operand, $lt: operand }),
  fc.record({ $in: fc.array(operand, { maxLength: 3 }) }),
  fc.record({ $ne: operand }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $elemMatch: fc.record({ $gte: operand, $lte: operand }) }),
  fc.record({ $all: fc.array(operand, { maxLength: 2 }) }),
);
const fields = fc.constantFrom("a", "b", "n.x", "n.y", "_id");
const clause = fc.tuple(fields, condition).map(([path, value]): Document => ({ [path]: value }));
const filters = fc.oneof(
  clause,
  fc.tuple(clause, clause).map(([x, y]): Document => ({ $and: [x, y] })),
  fc.tuple(clause, clause).map(([x, y]): Document => ({ $or: [x, y] })),
  fc.record({ $expr: fc.record({ $eq: fc.tuple(fc.constantFrom("$a", "$n.x"), operand) }) }),
);
const sorts = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "n.x"), fc.constantFrom(1, -1)), {
  selector: ([path]) => path,
  maxLength: 2,
});

describe("an index of the embedded database", () => {
  it("changes neither the results of a query nor their order", async () => {
    await fc.assert(
      fc.asyncProperty(
        docs,
        fc.array(fc.tuple(filters, sorts, fc.nat(6)), { minLength: 8, maxLength: 8 }),
        async (list, queries) => {
          const collection = await database.seed(...list.map((doc, _id) => ({ _id, ...doc })));
          await collection.createIndex({ a: 1, b: -1 });
          await collection.createIndex({ "n.x": -1 });
          await collection.createIndex({ "n.x": 1, "n.y": 1 });
          await collection.createIndex({ b: 1 }, { sparse: true });
          await collection.createIndex({ a: -1 }, { name: "partial", partialFilterExpression: { a: { $gt: 1 } } });
          for (const [filter, sort, limit] of queries) {
            const options = { sort: Object.fromEntries([...sort, ["_id", 1]]) as never, limit };
            const [byIndex, byScan] = await Promise.all([
              collection.find(filter, options).toArray(),
              collection.find(filter, options).hint({ $natural: 1 }).toArray(),
            ]);
            expect({ filter, sort, limit, found: byIndex }).toEqual({ filter, sort, limit, found: byScan });
          }
          await collection.drop();
        },
      ),
      propertyRuns(120),
    );
  });
});

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("insert" as const), id: fc.nat(15), value: scalars }),
    fc.record({ kind: fc.constant("set" as const), id: fc.nat(15), value: values }),
    fc.record({ kind: fc.constant("push" as const), id: fc.nat(15), value: scalars }),
    fc.record({ kind: fc.constant("remove" as const), id: fc.nat(15), value: fc.constant(null) }),
    fc.record({ kind: fc.constant("rename" as const), id: fc.nat(15), value: fc.constant(null) }),
  ),
  { minLength: 5, maxLength: 40 },
);

describe("the journal of the embedded database", () => {
  it("restores the same state", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const directory = await temporaryDirectory();
        const options = { directory, port: 0, log: () => undefined };
        const first = await startServer(options);
        const client = await new MongoClient(first.uri).connect();
        let name = "c";
        await client.db("d").collection(name).createIndex({ value: 1 });
        for (const { kind, id, value } of list) {
          const collection = client.db("d").collection<Row>(name);
          const filter = { _id: id };
          if (kind === "insert") await collection.insertOne({ _id: id, value }).catch(() => undefined);
          else if (kind === "set") await collection.updateOne(filter, { $set: { value } }, { upsert: true });
          else if (kind === "push") await collection.updateOne(filter, { $push: { list: value } } as Document);
          else if (kind === "remove") await collection.deleteOne(filter);
          else {
            name = `${name}x`.slice(0, 20);
            if (name !== collection.collectionName) await collection.rename(name);
          }
        }
        const before = exactly(await client.db("d").collection(name).find({}, typed).toArray());
        await client.close();
        await first.close();
        const second = await startServer(options);
        const again = await new MongoClient(second.uri).connect();
        expect(exactly(await again.db("d").collection(name).find({}, typed).toArray())).toEqual(before);
        expect((await again.db("d").collection(name).indexes()).length).toBe(2);
        await again.close();
        await second.close();
      }),
      { numRuns: 15 },
    );
  });
});
