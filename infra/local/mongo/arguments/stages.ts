import { Doc } from "../values/document.ts";
import { isNumeric, toInteger, toNumber } from "../values/numbers.ts";
import type { Value } from "../values/types.ts";
import { required } from "./fields.ts";
import { mergeArguments } from "./merge.ts";
import { argument, described, options, orText, type StageCheck, single } from "./stage-checks.ts";
import { anything, arrayOf, collection, emptyObject, isBool, isObject, isText, object, text } from "./types.ts";

const isArray = (value: Value): boolean => Array.isArray(value);
const isFilled = (value: Value): boolean => (Array.isArray(value) ? value.length > 0 : (value as Doc).size > 0);
const isWhole = (value: Value): boolean => toInteger(value) !== undefined;
const isNotNegative = (value: Value): boolean => isNumeric(value) && toNumber(value) >= 0;
const isPositive = (value: Value): boolean => isNumeric(value) && toNumber(value) >= 1;
const isOperator = (value: Value): boolean => !(value instanceof Doc) || value.keys[0]?.startsWith("$") === true;
const isPath = (value: Value): boolean => typeof value !== "string" || value.startsWith("$");
const isTextOr = (test: (value: Value) => boolean) => (value: Value) => isText(value) || test(value);
const textWhere = (test: (text: string) => boolean) => (value: Value) => typeof value !== "string" || test(value);

const whatever: StageCheck = () => undefined;
const anObject = (code: number): StageCheck => single(argument(isObject, code, "an object"));
const fieldNames = argument(isObject, 40272, "an object");
const oneField = argument(isFilled, 40177, "an object with at least one field");
const lookupText = argument(isText, 9, "a string");
const graphText = argument(isText, 40103, "a string");

const unwind = options({
  object: 15981,
  unknown: 28811,
  fields: {
    path: [argument(isText, 28808, "a string"), argument(isPath, 28818, "prefixed with a '$'")],
    preserveNullAndEmptyArrays: [argument(isBool, 28809, "a boolean")],
    includeArrayIndex: [
      argument((value) => isText(value) && value !== "", 28810, "a non-empty string"),
      argument(
        textWhere((name) => !name.startsWith("$")),
        28822,
        "without a '$' in front",
      ),
    ],
  },
  needs: { path: 28812 },
});

const count = [
  argument(isText, 40156, "a non-empty string"),
  argument(
    textWhere((name) => name !== ""),
    40157,
    "a non-empty string",
  ),
  argument(
    textWhere((name) => !name.startsWith("$")),
    40158,
    "no $-prefixed path",
  ),
  argument(
    textWhere((name) => !name.includes("\0")),
    40159,
    "without null bytes",
  ),
  argument(
    textWhere((name) => !name.includes(".")),
    40160,
    "without '.'",
  ),
];

/** What each stage may be given. What the parts mean is checked by those who compile them, still before anything runs. */
export const stageArguments = {
  $addFields: single(fieldNames, oneField),
  $bucket: options({
    object: 40201,
    unknown: 40197,
    fields: {
      groupBy: [
        argument((value) => isPath(value) && isOperator(value) && isTextOr(isObject)(value), 40202, "an expression"),
      ],
      boundaries: [
        argument(isArray, 40200, "an array"),
        argument((list) => (list as Value[]).length > 1, 40192, "two values"),
      ],
      default: [],
      output: [argument(isObject, 40196, "an object")],
    },
    needs: { groupBy: 40198, boundaries: 40198 },
  }),
  $collStats: described(5447000, {
    count: emptyObject,
    storageStats: object,
    latencyStats: object,
    queryExecStats: object,
  }),
  $count: single(...count),
  $documents: single(
    argument((value) => isArray(value) || isTextOr(isObject)(value), 5858203, "an array of documents"),
    argument(isPath, 5858203, "an array of documents"),
    argument(isOperator, 5858203, "an array of documents"),
  ),
  $facet: single(argument(isObject, 40169, "a non-empty object"), argument(isFilled, 40169, "a non-empty object")),
  $graphLookup: options({
    object: 9,
    unknown: 40104,
    fields: {
      from: [graphText],
      as: [graphText],
      startWith: [],
      connectFromField: [graphText],
      connectToField: [graphText],
      depthField: [graphText],
      maxDepth: [
        argument(isNumeric, 40100, "a number"),
        argument(isNotNegative, 40101, "a nonnegative number"),
        argument(isWhole, 40102, "a whole number"),
      ],
      restrictSearchWithMatch: [argument(isObject, 40185, "an object")],
    },
    needs: { from: 40105, as: 40105, startWith: 40105, connectFromField: 40105, connectToField: 40105 },
  }),
  $group: anObject(15947),
  $indexStats: single(
    argument(isObject, 28803, "an empty object"),
    argument((value) => !isFilled(value), 28803, "an empty object"),
  ),
  $limit: single(
    argument(isWhole, 5107201, "a whole number"),
    argument(isNotNegative, 5107201, "a non-negative number"),
    argument(isPositive, 15958, "positive"),
  ),
  $lookup: options({
    object: 9,
    unknown: 9,
    fields: {
      from: [argument(isTextOr(isObject), 9, "a string")],
      as: [lookupText],
      localField: [lookupText],
      foreignField: [lookupText],
      let: [argument(isObject, 9, "an object")],
      pipeline: [argument(isArray, 14, "an array")],
    },
    needs: { as: 9 },
  }),
  $match: anObject(15959),
  $merge: mergeArguments,
  $out: orText(described(16990, { db: required(text), coll: required(collection), timeseries: object })),
  $project: single(
    argument(isObject, 15969, "an object"),
    argument(isFilled, 51272, "an object with at least one field"),
  ),
  $redact: whatever,
  $replaceRoot: described(40229, { newRoot: required(anything) }),
  $replaceWith: whatever,
  $sample: options({
    object: 28745,
    unknown: 28748,
    fields: { size: [argument(isNumeric, 28746, "a number"), argument(isPositive, 28747, "a positive integer")] },
    needs: { size: 28749 },
  }),
  $set: single(fieldNames, oneField),
  $setWindowFields: described(9, { partitionBy: anything, sortBy: object, output: required(object) }),
  $skip: single(
    argument(isWhole, 5107200, "a whole number"),
    argument(isNotNegative, 5107200, "a non-negative number"),
  ),
  $sort: single(
    argument(isObject, 15973, "an object"),
    argument(isFilled, 15976, "an object with at least one sort key"),
  ),
  $sortByCount: single(
    argument(isTextOr(isObject), 40149, "a string or an object"),
    argument(isOperator, 40147, "an expression inside an object"),
    argument(isPath, 40148, "a $-prefixed path"),
  ),
  $unionWith: orText(described(9, { coll: text, pipeline: arrayOf(object) })),
  $unset: single(
    argument(isTextOr(isArray), 31002, "a string or an array"),
    argument(isTextOr(isFilled), 31119, "a string or an array with at least one field"),
    argument((value) => isText(value) || (value as Value[]).every(isText), 31120, "made of strings"),
  ),
  $unwind: (spec, stage) => unwind(typeof spec === "string" ? Doc.from({ path: spec }) : spec, stage),
} as const satisfies Readonly<Record<string, StageCheck>>;

export type StageName = keyof typeof stageArguments;

/** Checks what one stage is given, before any stage of its pipeline is compiled. */
export function checkStage(name: string, spec: Value): void {
  const checks: Readonly<Record<string, StageCheck>> = stageArguments;
  checks[name]?.(spec, name);
}
