import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, ObjectId, serialize, Timestamp } from "bson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newScope } from "../../../infra/local/mongo/expressions/compile.ts";
import { installExpressions } from "../../../infra/local/mongo/expressions/registry.ts";
import { compileTransform } from "../../../infra/local/mongo/transform/transform.ts";
import { Doc } from "../../../infra/local/mongo/values/document.ts";
import { documentSize, encoded } from "../../../infra/local/mongo/values/encoding.ts";
import { UtcDate, type Value } from "../../../infra/local/mongo/values/types.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

installExpressions();

const names = fc.constantFrom("_id", "a", "b", "c", "1", "a.b", "é", "a name of more than 24 characters");
const scalars = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.integer().map((n) => new Int32(n)),
  fc.oneof(fc.double(), fc.integer()).map((n) => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc.constantFrom("0", "-0", "1.50", "1E+6000", "NaN").map((text) => Decimal128.fromString(text)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.tuple(fc.uint8Array({ maxLength: 5 }), fc.constantFrom(0, 4, 6)).map(([bytes, type]) => new Binary(bytes, type)),
  fc.nat().map((i) => new Timestamp({ t: 1, i })),
  fc.constantFrom(new BSONRegExp("a", "i"), new Code("f()"), new Code("f()", { a: 1 })),
);
const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 2, arbitrary: scalars },
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/** A document of these fields, in which a name may occur twice. */
const bytesOf = (fields: readonly (readonly [string, unknown])[]): Buffer => {
  const elements = fields.map(([name, value]) => Buffer.from(serialize({ [name]: value })).subarray(4, -1));
  const content = Buffer.concat(elements);
  const length = Buffer.alloc(4);
  length.writeInt32LE(content.length + 5);
  return Buffer.concat([length, content, Buffer.from([0])]);
};

const paths = fc.constantFrom(
  "_id",
  "a",
  "b",
  "c",
  "1",
  "a.b",
  "b.1",
  "c.a.b",
  "new",
  "a name of more than 24 characters",
);
const expressions = fc.constantFrom<unknown>(
  "$a",
  "$b.a",
  "$$ROOT",
  "$$REMOVE",
  "text",
  { $type: "$c" },
  { $objectToArray: { x: "$a", y: "$b" } },
  { $literal: { a: [1, 2.5] } },
  { $mergeObjects: [{ z: "$c" }, { a: 1 }] },
);
/** Of two paths of which one begins with the other only the first stays. */
const withoutCollisions = (fields: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const taken: Record<string, unknown> = {};
  for (const [path, value] of fields) {
    const collides = Object.keys(taken).some(
      (other) => `${other}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${other}.`),
    );
    if (!collides) taken[path] = value;
  }
  return taken;
};
const pathsWith = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc.array(fc.tuple(paths, value), { minLength: 1, maxLength: 5 }).map(withoutCollisions);
const stages = fc.oneof(
  pathsWith(fc.constant(1)).map((spec) => ["$project", spec] as const),
  pathsWith(fc.oneof(fc.constant(1), expressions)).map((spec) => ["$project", { ...spec, e: "$a" }] as const),
  pathsWith(fc.constant(0)).map((spec) => ["$project", spec] as const),
  fc.uniqueArray(fc.constantFrom("_id", "a.b", "b", "c.1"), { minLength: 1 }).map((list) => ["$unset", list] as const),
  pathsWith(expressions).map((spec) => ["$set", spec] as const),
);

const read = (value: unknown): Value => Doc.at(Buffer.from(serialize({ value })), 0).get("value") as Value;

/** The same value without bytes. */
const decoded = (value: Value): Value => {
  if (Array.isArray(value)) return value.map(decoded);
  return value instanceof Doc ? Doc.of([...value.keys], value.values.map(decoded)) : value;
};

const hex = (doc: Doc): string => {
  const { buf, off } = encoded(doc);
  return (buf as Buffer).toString("hex", off, off + documentSize(doc));
};

describe("stages that map one document to one", () => {
  it("give the same bytes for a document as bytes and for its decoded fields", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(names, values), { maxLength: 7 }),
        fc.array(stages, { minLength: 1, maxLength: 4 }),
        (fields, pipeline) => {
          let raw = Doc.at(bytesOf(fields), 0);
          let plain = decoded(raw) as Doc;
          for (const [name, spec] of pipeline) {
            const scope = newScope({ now: new UtcDate(0), order: undefined });
            const transform = compileTransform(name, read(spec), scope);
            raw = transform(raw, []);
            plain = transform(decoded(plain) as Doc, []);
            expect(hex(raw)).toBe(hex(plain));
            expect(raw.estimatedSize ?? 0).toBeLessThanOrEqual(documentSize(plain));
            for (const key of plain.keys)
              expect(hex(Doc.from({ v: raw.get(key) }))).toBe(hex(Doc.from({ v: plain.get(key) })));
          }
          const again = Doc.of([...raw.keys], [...raw.values]);
          expect(hex(again)).toBe(hex(plain));
        },
      ),
      propertyRuns(500),
    );
  });
});
