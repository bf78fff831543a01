import type { Liquid, Template, Variable } from "liquidjs";
import { isObject } from "../is-object.ts";
import { type LiquidJob, liquidLimits, type Missing, type Part } from "./job.ts";

/** What Liquid itself gives lists and texts. */
const isBuiltIn = (value: unknown, name: string): boolean => {
  if (Array.isArray(value)) return ["size", "first", "last"].includes(name);
  return name === "size" && (typeof value === "string" || isObject(value));
};

/** Whether the data have a value at this path. Parts that are computed are not followed. */
const isPresent = (data: LiquidJob["data"], { segments }: Variable): boolean => {
  let value: unknown = data;
  for (const segment of segments) {
    if (typeof segment === "object") return true;
    const name = String(segment);
    if (isBuiltIn(value, name)) return true;
    const index = Array.isArray(value) && typeof segment === "number" && segment < 0 ? value.length + segment : name;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, index)) return false;
    value = Reflect.get(value, index);
  }
  return true;
};

const LONGEST_NAME = 200;
const nameOf = (variable: Variable): string => String(variable).slice(0, LONGEST_NAME);

/** What a template reads from the data, and what of it the data do not have. A value of null is there. */
export const variablesOf = (
  engine: Liquid,
  templates: Template[],
  part: Part,
  data: LiquidJob["data"],
): { names: string[]; missing: Missing[] } => {
  const { globals } = engine.analyzeSync(templates, { partials: false });
  const found = Object.values(globals).flat();
  const missing = found
    .filter((variable) => !isPresent(data, variable))
    .slice(0, liquidLimits.reported)
    .map((variable): Missing => {
      const { row, col } = variable.location;
      return { name: nameOf(variable), part, line: row, column: col };
    });
  const names = new Set<string>();
  for (const variable of found) {
    if (names.size >= liquidLimits.reported) break;
    names.add(nameOf(variable));
  }
  return { names: [...names], missing };
};
