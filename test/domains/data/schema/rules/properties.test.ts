import fc from "fast-check";
import { expect, it } from "vitest";
import { issuesOf, onCreate, outcome } from "./object.ts";

const words = [
  ..."record old user now name amount status tags data null true false in has size exists map matches x".split(" "),
  ..."contains date duration ( ) [ ] { } . , : ? ! && || == != < <= > >= + - * / % 1 2.5 'a' \"b\" b'c' 5u \n //".split(
    " ",
  ),
];

it("any text gives issues or a condition that any record can be tested with", () => {
  const tokens = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((some) => some.join(" "));
  const records = fc.dictionary(
    fc.constantFrom("name", "amount", "status", "tags", "data", "closed_at"),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.oneof(tokens, fc.string(), fc.string({ unit: "binary" })), records, (condition, record) => {
      const issues = issuesOf(condition);
      for (const { msg, ctx } of issues) {
        expect(msg).toMatch(/^Line \d+, column \d+: .+[.?]$/s);
        expect(ctx?.offset).toBeLessThanOrEqual(condition.length);
      }
      if (issues.length > 0) return;
      expect([null, "condition", "error", "budget"]).toContain(onCreate(condition, record));
      expect([null, "condition", "error", "budget"]).toContain(outcome(condition, { before: record, after: record }));
    }),
    { numRuns: 400 },
  );
});

/** True, false, or that an operand has no value. */
type Truth = boolean | "absent";

interface Tested {
  readonly text: string;
  evaluate(record: Readonly<Record<string, unknown>>): Truth;
}

const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
};

const numberField = fc.constantFrom("amount", "discount");

const comparison: fc.Arbitrary<Tested> = fc
  .tuple(
    numberField,
    fc.constantFrom(...Object.keys(comparisons)),
    fc.oneof(numberField, fc.integer({ min: 0, max: 3 }), fc.constantFrom(0.5, 1.5)),
    fc.boolean(),
  )
  .map(([field, operator, right, swapped]) => {
    const other = typeof right === "string" ? `record.${right}` : String(right);
    const [first, second] = swapped ? [other, `record.${field}`] : [`record.${field}`, other];
    return {
      text: `${first} ${operator} ${second}`,
      evaluate: (record) => {
        const a = record[field];
        const b = typeof right === "string" ? record[right] : right;
        if (typeof a !== "number" || typeof b !== "number") return "absent";
        return comparisons[operator]?.(swapped ? b : a, swapped ? a : b) ?? "absent";
      },
    };
  });

const nullTest: fc.Arbitrary<Tested> = fc
  .tuple(fc.constantFrom("amount", "discount", "active"), fc.boolean())
  .map(([field, isNull]) => ({
    text: `record.${field} ${isNull ? "==" : "!="} null`,
    evaluate: (record) => (record[field] === undefined || record[field] === null) === isNull,
  }));

const flag: fc.Arbitrary<Tested> = fc.constant({
  text: "record.active",
  evaluate: (record) => (typeof record.active === "boolean" ? record.active : "absent"),
});

const decided = (truths: readonly Truth[], deciding: boolean): Truth => {
  if (truths.includes(deciding)) return deciding;
  return truths.includes("absent") ? "absent" : !deciding;
};

const { condition } = fc.letrec<{ condition: Tested }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    nullTest,
    flag,
    tie("condition").map(
      (inner): Tested => ({
        text: `!(${inner.text})`,
        evaluate: (record) => {
          const truth = inner.evaluate(record);
          return truth === "absent" ? truth : !truth;
        },
      }),
    ),
    fc.tuple(tie("condition"), fc.boolean(), tie("condition")).map(
      ([left, isAnd, right]): Tested => ({
        text: `(${left.text}) ${isAnd ? "&&" : "||"} (${right.text})`,
        evaluate: (record) => decided([left.evaluate(record), right.evaluate(record)], !isAnd),
      }),
    ),
  ),
}));

it("conditions agree with three-valued logic written by hand", () => {
  const number = fc.option(fc.constantFrom(0, 0.5, 1, 1.5, 2, 3));
  const record = fc.record({ amount: number, discount: number, active: fc.option(fc.boolean()) }, { requiredKeys: [] });
  fc.assert(
    fc.property(condition, record, (tested, values) => {
      expect(issuesOf(tested.text)).toEqual([]);
      expect(onCreate(tested.text, values)).toBe(tested.evaluate(values) === true ? "condition" : null);
    }),
    { numRuns: 400 },
  );
});
