import { bind, type Context, compile, type Frame, newScope, type Scope } from "../expressions/compile.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { FilterContext } from "../match/matcher.ts";
import { type Collation, readCollation } from "../values/collation.ts";
import { Doc } from "../values/document.ts";
import { type Maybe, UtcDate } from "../values/types.ts";
import type { CommandContext } from "./context.ts";

export interface Evaluation extends FilterContext {
  readonly scope: Scope;
  readonly frame: Frame;
}

/** The scope that the expressions of a command share: time, collation and variables. */
export function evaluation(context: CommandContext, collation: Collation | undefined): Evaluation {
  const scopeContext: Context = { now: new UtcDate(context.now), order: collation?.order };
  return { scope: newScope(scopeContext), frame: [] };
}

/** The scope with the variables (`let`) of a command or a statement. */
export function evaluationOf(context: CommandContext, collation: Collation | undefined, variables: Maybe): Evaluation {
  const base = evaluation(context, collation);
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
