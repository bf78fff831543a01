import { afterAll, beforeAll, expect, test } from "vitest";
import { type Running, run } from "./run.ts";
import { machines, only, task, workflows } from "./state-machines.ts";

const input = {
  list: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  twice: [1, 2, 3, 3, 4, 4],
  one: { a: { a1: 1 }, b: 2 },
  other: { a: { a2: 2 }, c: 3 },
  text: '{"n": 7}',
  people: [
    { name: "Ada", tags: ["x", "y"] },
    { name: "Bo", tags: [] },
  ],
  "odd name": { "it's": true },
  nothing: null,
  time: "2026-03-12T19:00:00Z",
};

/** Expressions of payload templates and their values, mostly from AWS's documentation. */
const expressions: readonly (readonly [string, unknown])[] = [
  ["$", input],
  ["$.people[1].name", "Bo"],
  ["$.people[-1].name", "Bo"],
  ["$.people[*].name", ["Ada", "Bo"]],
  ["$.people[0:1].name", ["Ada"]],
  ["$..tags", [["x", "y"], []]],
  ["$.people[*].nowhere", []],
  ["$['odd name'][\"it's\"]", true],
  ["$.nothing", null],
  ["$$.StateMachine.Name", "Data"],
  ["States.ArrayPartition($.list, 4)", [[1, 2, 3, 4], [5, 6, 7, 8], [9]]],
  ["States.ArrayContains($.list, 5)", true],
  ["States.ArrayContains($.people, $.one)", false],
  ["States.ArrayRange(1, 9, 2)", [1, 3, 5, 7, 9]],
  ["States.ArrayGetItem($.list, 5)", 6],
  ["States.ArrayLength($.list)", 9],
  ["States.ArrayUnique($.twice)", [1, 2, 3, 4]],
  ["States.Array('a', $.one.b, null, States.Array())", ["a", 2, null, []]],
  ["States.Base64Encode('Data to encode')", "RGF0YSB0byBlbmNvZGU="],
  ["States.Base64Decode('RGF0YSB0byBlbmNvZGU=')", "Data to encode"],
  ["States.Hash('input data', 'SHA-1')", "aaff4a450a104cd177d28d18d74485e8cae074b7"],
  ["States.JsonMerge($.one, $.other, false)", { a: { a2: 2 }, b: 2, c: 3 }],
  ["States.MathAdd(111, -1)", 110],
  ["States.StringSplit('This.is+a,test=string', '.+,=')", ["This", "is", "a", "test", "string"]],
  ["States.StringToJson($.text)", { n: 7 }],
  ["States.JsonToString($.one)", '{"a":{"a1":1},"b":2}'],
  ["States.Format('It\\'s {} of {}', $.one.b, $.one)", 'It\'s 2 of {"a":{"a1":1},"b":2}'],
  ["States.Format('{}', States.MathAdd(1, States.ArrayLength($.people)))", "3"],
];

const rules: readonly (readonly [object, boolean])[] = [
  [{ Variable: "$.text", StringMatches: '{"n*}' }, true],
  [{ Variable: "$.text", StringMatches: "n" }, false],
  [{ Variable: "$.one.b", NumericEquals: 2 }, true],
  [{ Variable: "$.one.b", StringEquals: "2" }, false],
  [{ Variable: "$.one.b", NumericLessThanPath: "$.other.c" }, true],
  [{ Variable: "$.time", TimestampGreaterThan: "2026-03-12T19:30:00+01:00" }, true],
  [{ Variable: "$.time", IsTimestamp: true }, true],
  [{ Variable: "$.text", IsTimestamp: true }, false],
  [{ Variable: "$.nothing", IsNull: true }, true],
  [{ Variable: "$.nothing", IsPresent: true }, true],
  [{ Variable: "$.nowhere.at.all", IsPresent: false }, true],
  [{ Variable: "$.people[0].name", StringLessThan: "Bo" }, true],
  [{ Variable: "$['odd name'][\"it's\"]", BooleanEquals: false }, false],
];

const choice = (rule: object) => ({
  StartAt: "Choose",
  States: {
    Choose: { Type: "Choice", Choices: [{ ...rule, Next: "Yes" }], Default: "No" },
    Yes: { Type: "Pass", Result: true, End: true },
    No: { Type: "Pass", Result: false, End: true },
  },
});

const definitions = {
  Data: only({
    Type: "Pass",
    Parameters: Object.fromEntries(expressions.map(([expression], index) => [`${index}.$`, expression])),
    End: true,
  }),
  Unique: only({
    Type: "Pass",
    Parameters: { "id.$": "States.UUID()", "random.$": "States.MathRandom(3, 5)" },
    End: true,
  }),
  Misplaced: only({ Type: "Pass", Result: 1, ResultPath: "$.list.inner", End: true }),
  Discarded: only({ Type: "Pass", Result: 1, ResultPath: null, InputPath: "$.one", OutputPath: "$.one.b", End: true }),
  BranchFails: {
    StartAt: "Both",
    States: {
      Both: {
        Type: "Parallel",
        Branches: [
          { StartAt: "Slow", States: { Slow: task({ ms: 60_000 }) } },
          { StartAt: "Bad", States: { Bad: { Type: "Fail", Error: "Bad", Cause: "as asked" } } },
        ],
        Retry: [{ ErrorEquals: ["Bad"], IntervalSeconds: 1, MaxAttempts: 1, JitterStrategy: "FULL" }],
        Catch: [
          { ErrorEquals: ["Other"], Next: "Never" },
          { ErrorEquals: ["Bad"], Next: "Caught" },
        ],
        End: true,
      },
      Never: { Type: "Fail" },
      Caught: { Type: "Succeed" },
    },
  },
  ...Object.fromEntries(rules.map(([rule], index) => [`Choice${index}`, choice(rule)])),
};

let platform: Running;
let api: ReturnType<typeof workflows>;
beforeAll(async () => {
  platform = await run(machines(definitions));
  api = workflows(platform);
});
afterAll(() => platform.stop());

test("paths and intrinsic functions have the values that AWS documents", async () => {
  const { output } = await api.run("Data", input);
  const values = output as Record<string, unknown>;
  expect(expressions.map(([expression], index) => [expression, values[index]])).toEqual(expressions);
});

test("identifiers and random numbers are of their form", async () => {
  expect(await api.run("Unique")).toEqual({
    status: "SUCCEEDED",
    output: { id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/), random: expect.any(Number) },
  });
});

test("the rules of a Choice compare values of their type only", async () => {
  const found = await Promise.all(rules.map((_, index) => api.run(`Choice${index}`, input)));
  expect(found.map(({ output }, index) => [rules[index]?.[0], output])).toEqual(rules);
});

test("a result is discarded by a ResultPath of null, and fails where the input has another value", async () => {
  expect(await api.run("Discarded", input)).toEqual({ status: "SUCCEEDED", output: 2 });
  expect(await api.run("Misplaced", input)).toMatchObject({
    status: "FAILED",
    error: "States.ResultPathMatchFailure",
  });
});

test("a Parallel with a failed branch is retried as a whole, and then caught by the error of the branch", async () => {
  const execution = await api.start("BranchFails");
  expect(await api.ended(execution)).toEqual({ status: "SUCCEEDED", output: { Error: "Bad", Cause: "as asked" } });
  const types = (await api.history(execution)).map(({ type }) => type);
  expect(types.filter((type) => type === "ParallelStateFailed")).toHaveLength(2);
});
