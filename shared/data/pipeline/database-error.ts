import { MongoServerError } from "mongodb";
import { queryLimits } from "#shared/data/query/query";
import { exceededTimeLimit } from "#shared/tenant/tenant";
import type { JsonPath } from "./json.ts";
import { isObject } from "./json.ts";
import { pipelineFault } from "./walk.ts";

/**
 * Errors of the database as a service, not of the pipeline: hosts, network, authentication, shutdown, elections.
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const failures: readonly unknown[] = [
  ...[6, 7, 8, 13, 18, 43, 63, 89, 91, 133, 134, 150, 175, 189, 202, 205, 234, 237, 246, 279, 384, 391, 402],
  ...[9001, 10058, 10107, 11600, 11601, 11602, 13388, 13435, 13436],
];

const LONGEST = 300;

/** The first operator of the pipeline that the message names. The database gives no position. */
const pathOfOperator = (value: unknown, names: ReadonlySet<string>, jsonPath: JsonPath): JsonPath | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const at = [...jsonPath, Array.isArray(value) ? Number(key) : key];
    if (isObject(value) && names.has(key)) return at;
    const inside = pathOfOperator(item, names, at);
    if (inside !== undefined) return inside;
  }
  return undefined;
};

/**
 * Translates an error of the running pipeline to `pipeline_failed`; other errors stay unchanged. The database's message
 * may be shown, because the pipeline evaluates only fields that the caller may read.
 */
export const pipelineError = (error: unknown, pipeline: readonly unknown[]): unknown => {
  if (!(error instanceof MongoServerError)) return error;
  if (exceededTimeLimit(error)) {
    const seconds = queryLimits.maxTimeMilliseconds / 1000;
    return pipelineFault(
      ["pipeline"],
      "query_timeout",
      `it took longer than ${seconds} seconds. Begin with a $match on an indexed field, or ask for fewer documents.`,
    );
  }
  if (failures.includes(error.code)) return error;
  const sentence = error.message.replace(/^.* :: caused by :: /s, "");
  const names = new Set(error.message.match(/\$[a-zA-Z]\w*/g));
  const jsonPath = pathOfOperator(pipeline, names, ["pipeline"]) ?? ["pipeline"];
  const operator = jsonPath.findLast((part) => typeof part === "string" && part.startsWith("$"));
  return pipelineFault(
    jsonPath,
    "pipeline_failed",
    sentence.slice(0, LONGEST),
    operator === undefined ? {} : { operator },
  );
};
