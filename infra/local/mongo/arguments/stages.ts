import type { ErrorCode } from "../foundation/fault.ts";
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
const anObject = (code: ErrorCode): StageCheck => single(argument(isObject, code, "an object"));
const fieldNames = argument(isObject, "Location40272", "an object");
const oneField = argument(isFilled, "Location40177", "an object with at least one field");
const lookupText = argument(isText, "FailedToParse", "a string");
const graphText = argument(isText, "Location40103", "a string");

const unwind = options({
  object: "Location15981",
  unknown: "Location28811",
  fields: {
    path: [argument(isText, "Location28808", "a string"), argument(isPath, "Location28818", "prefixed with a '$'")],
    preserveNullAndEmptyArrays: [argument(isBool, "Location28809", "a boolean")],
    includeArrayIndex: [
      argument((value) => isText(value) && value !== "", "Location28810", "a non-empty string"),
      argument(
        textWhere((name) => !name.startsWith("$")),
        "Location28822",
        "without a '$' in front",
      ),
    ],
  },
  needs: { path: "Location28812" },
});

const count = [
  argument(isText, "Location40156", "a non-empty string"),
  argument(
    textWhere((name) => name !== ""),
    "Location40157",
    "a non-empty string",
  ),
  argument(
    textWhere((name) => !name.startsWith("$")),
    "Location40158",
    "no $-prefixed path",
  ),
  argument(
    textWhere((name) => !name.includes("\0")),
    "Location40159",
    "without null bytes",
  ),
  argument(
    textWhere((name) => !name.includes(".")),
    "Location40160",
    "without '.'",
  ),
];

/** The specification that each stage takes. The compilers of the stages check the parts, still before anything runs. */
export const stageArguments = {
  $addFields: single(fieldNames, oneField),
  $bucket: options({
    object: "Location40201",
    unknown: "Location40197",
    fields: {
      groupBy: [
        argument(
          (value) => isPath(value) && isOperator(value) && isTextOr(isObject)(value),
          "Location40202",
          "an expression",
        ),
      ],
      boundaries: [
        argument(isArray, "Location40200", "an array"),
        argument((list) => (list as Value[]).length > 1, "Location40192", "two values"),
      ],
      default: [],
      output: [argument(isObject, "Location40196", "an object")],
    },
    needs: { groupBy: "Location40198", boundaries: "Location40198" },
  }),
  $collStats: described("Location5447000", {
    count: emptyObject,
    storageStats: object,
    latencyStats: object,
    queryExecStats: object,
  }),
  $count: single(...count),
  $documents: single(
    argument((value) => isArray(value) || isTextOr(isObject)(value), "Location5858203", "an array of documents"),
    argument(isPath, "Location5858203", "an array of documents"),
    argument(isOperator, "Location5858203", "an array of documents"),
  ),
  $facet: single(
    argument(isObject, "Location40169", "a non-empty object"),
    argument(isFilled, "Location40169", "a non-empty object"),
  ),
  $graphLookup: options({
    object: "FailedToParse",
    unknown: "Location40104",
    fields: {
      from: [graphText],
      as: [graphText],
      startWith: [],
      connectFromField: [graphText],
      connectToField: [graphText],
      depthField: [graphText],
      maxDepth: [
        argument(isNumeric, "Location40100", "a number"),
        argument(isNotNegative, "Location40101", "a nonnegative number"),
        argument(isWhole, "Location40102", "a whole number"),
      ],
      restrictSearchWithMatch: [argument(isObject, "Location40185", "an object")],
    },
    needs: {
      from: "Location40105",
      as: "Location40105",
      startWith: "Location40105",
      connectFromField: "Location40105",
      connectToField: "Location40105",
    },
  }),
  $group: anObject("Location15947"),
  $indexStats: single(
    argument(isObject, "Location28803", "an empty object"),
    argument((value) => !isFilled(value), "Location28803", "an empty object"),
  ),
  $limit: single(
    argument(isWhole, "Location5107201", "a whole number"),
    argument(isNotNegative, "Location5107201", "a non-negative number"),
    argument(isPositive, "Location15958", "positive"),
  ),
  $lookup: options({
    object: "FailedToParse",
    unknown: "FailedToParse",
    fields: {
      from: [argument(isTextOr(isObject), "FailedToParse", "a string")],
      as: [lookupText],
      localField: [lookupText],
      foreignField: [lookupText],
      let: [argument(isObject, "FailedToParse", "an object")],
      pipeline: [argument(isArray, "TypeMismatch", "an array")],
    },
    needs: { as: "FailedToParse" },
  }),
  $match: anObject("Location15959"),
  $merge: mergeArguments,
  $out: orText(described("Location16990", { db: required(text), coll: required(collection), timeseries: object })),
  $project: single(
    argument(isObject, "Location15969", "an object"),
    argument(isFilled, "Location51272", "an object with at least one field"),
  ),
  $redact: whatever,
  $replaceRoot: described("Location40229", { newRoot: required(anything) }),
  $replaceWith: whatever,
  $sample: options({
    object: "Location28745",
    unknown: "Location28748",
    fields: {
      size: [
        argument(isNumeric, "Location28746", "a number"),
        argument(isPositive, "Location28747", "a positive integer"),
      ],
    },
    needs: { size: "Location28749" },
  }),
  $set: single(fieldNames, oneField),
  $setWindowFields: described("FailedToParse", { partitionBy: anything, sortBy: object, output: required(object) }),
  $skip: single(
    argument(isWhole, "Location5107200", "a whole number"),
    argument(isNotNegative, "Location5107200", "a non-negative number"),
  ),
  $sort: single(
    argument(isObject, "Location15973", "an object"),
    argument(isFilled, "Location15976", "an object with at least one sort key"),
  ),
  $sortByCount: single(
    argument(isTextOr(isObject), "Location40149", "a string or an object"),
    argument(isOperator, "Location40147", "an expression inside an object"),
    argument(isPath, "Location40148", "a $-prefixed path"),
  ),
  $unionWith: orText(described("FailedToParse", { coll: text, pipeline: arrayOf(object) })),
  $unset: single(
    argument(isTextOr(isArray), "Location31002", "a string or an array"),
    argument(isTextOr(isFilled), "Location31119", "a string or an array with at least one field"),
    argument((value) => isText(value) || (value as Value[]).every(isText), "Location31120", "made of strings"),
  ),
  $unwind: (spec, stage) => unwind(typeof spec === "string" ? Doc.from({ path: spec }) : spec, stage),
} as const satisfies Readonly<Record<string, StageCheck>>;

export type StageName = keyof typeof stageArguments;

/** Checks the specification of a stage before any stage of its pipeline is compiled. */
export function checkStage(name: string, spec: Value): void {
  const checks: Readonly<Record<string, StageCheck>> = stageArguments;
  checks[name]?.(spec, name);
}
