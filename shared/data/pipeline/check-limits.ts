import type { JsonPath } from "./json.ts";
import { isObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import { refuse, refuseStructure, type Walk } from "./walk.ts";

/**
 * Limits depth and size, and refuses keys that cannot be sent: BSON has no NUL in keys, and the driver treats an object
 * with `_bsontype` as one of its own types.
 */
export const checkLimits = (value: unknown, walk: Walk): boolean => {
  let values = 0;
  const visit = (item: unknown, jsonPath: JsonPath, depth: number): boolean => {
    values += 1;
    if (values > pipelineLimits.values) {
      refuse(walk, ["pipeline"], "pipeline_too_complex", `it has more than ${pipelineLimits.values} values.`);
      return false;
    }
    if (typeof item !== "object" || item === null) return true;
    if (depth > pipelineLimits.depth) {
      refuse(walk, jsonPath, "pipeline_too_complex", `it is nested deeper than ${pipelineLimits.depth} levels.`);
      return false;
    }
    if (Array.isArray(item)) return item.every((inner, index) => visit(inner, [...jsonPath, index], depth + 1));
    if (!isObject(item)) return true;
    return Object.entries(item).every(([key, inner]) => {
      const at = [...jsonPath, key];
      if (key === "_bsontype" || key.includes("\0")) {
        refuseStructure(walk, at, "no field can have this name.");
        return false;
      }
      return visit(inner, at, depth + 1);
    });
  };
  return visit(value, ["pipeline"], 0);
};
