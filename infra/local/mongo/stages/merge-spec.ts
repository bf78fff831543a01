import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import type { Value } from "../values/types.ts";
import { type Target, targetOf } from "./output.ts";

export interface Merge {
  readonly target: Target;
  readonly on: readonly string[];
  readonly whenMatched: string | readonly Value[];
  readonly whenNotMatched: string;
  readonly variables: Doc | undefined;
}

const plain = { on: ["_id"], whenMatched: "merge", whenNotMatched: "insert", variables: undefined } as const;

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/merge/ */
export function readMerge(spec: Value, db: string): Merge {
  if (!(spec instanceof Doc)) return { target: targetOf(spec, db, "$merge"), ...plain };
  const whenMatched = (spec.get("whenMatched") ?? plain.whenMatched) as Merge["whenMatched"];
  const whenNotMatched = String(spec.get("whenNotMatched") ?? plain.whenNotMatched);
  if ((whenMatched === "keepExisting" || whenMatched === "fail") && whenNotMatched !== "insert")
    throw new MongoFault(
      "Location51181",
      `Combination of $merge modes 'whenMatched: ${whenMatched}' and 'whenNotMatched: ${whenNotMatched}' is not supported`,
    );
  return {
    target: targetOf(spec.get("into"), db, "$merge"),
    on: readOn(spec.get("on") ?? "_id"),
    whenMatched,
    whenNotMatched,
    variables: readVariables(spec.get("let"), whenMatched),
  };
}

function readOn(given: Value): readonly string[] {
  const on = (Array.isArray(given) ? given : [given]) as string[];
  const twice = on.find((path, i) => on.indexOf(path) !== i);
  if (twice !== undefined) throw new MongoFault("Location31465", `Found a duplicate field '${twice}'`);
  return on;
}

/** A pipeline sees the new document as $$new beside the variables of its own. */
function readVariables(given: Value | undefined, whenMatched: Merge["whenMatched"]): Doc | undefined {
  if (typeof whenMatched === "string") {
    if (given !== undefined)
      throw new MongoFault("Location51199", `Cannot use 'let' variables with 'whenMatched: ${whenMatched}' mode`);
    return undefined;
  }
  const variables = given instanceof Doc ? given : Doc.empty;
  const own = variables.get("new");
  if (own !== undefined && own !== "$$ROOT")
    throw new MongoFault(
      "Location51273",
      "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'",
    );
  return own === undefined ? variables.with("new", "$$ROOT") : variables;
}
