import { bind, type Context, compile, type Frame, newScope, type Scope } from "../expressions/compile.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { FilterContext } from "../match/matcher.ts";
import type { Collation } from "../values/collation.ts";
import { readCollation } from "../values/collation.ts";
import { Doc } from "../values/document.ts";
import type { Maybe } from "../values/types.ts";
import { UtcDate } from "../values/types.ts";
import type { Operating } from "./context.ts";

export interface Evaluation extends FilterContext {
  readonly scope: Scope;
  readonly frame: Frame;
}

/** The scope that the expressions of a command share: the time, the collation and the variables of `let`. */
export function evaluation(operating: Operating, collation: Collation | undefined): Evaluation {
  const context: Context = { now: new UtcDate(operating.now), order: collation?.order };
  return { scope: newScope(context), frame: [] };
}

/** Collation and variables of a command or of one of its statements. */
export function evaluationOf(operating: Operating, collation: Collation | undefined, variables: Maybe): Evaluation {
  const base = evaluation(operating, collation);
  if (variables === undefined) return base;
  if (!(variables instanceof Doc))
    throw new MongoFault("TypeMismatch", "BSON field 'let' is the wrong type, expected type 'object'");
  const values = variables.values.map((value) => compile(value, base.scope)(base.frame));
  const { scope, slots } = bind(base.scope, variables.keys);
  slots.forEach((slot, i) => {
    base.frame[slot] = values[i];
  });
  return { scope, frame: base.frame };
}

export const collationOf = (doc: Doc): Collation | undefined => readCollation(doc.get("collation"));
