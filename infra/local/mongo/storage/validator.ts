import { type Frame, newScope } from "../expressions/compile.ts";
import { compileFilter } from "../match/filter.ts";
import type { Doc } from "../values/document.ts";
import { UtcDate } from "../values/types.ts";

/** Whether a document is valid. `now` is the value of $$NOW. */
export type Validator = (doc: Doc, now: number) => boolean;

/** Compiled once for many commands, so $$NOW is a variable. */
export function compileValidator(filter: Doc): Validator {
  const scope = newScope({ now: new UtcDate(0), order: undefined });
  const slot = scope.size.next++;
  const frame: Frame = [];
  const matches = compileFilter(filter, { scope: { ...scope, slots: new Map([["NOW", slot]]) }, frame });
  return (doc, now) => {
    frame[slot] = new UtcDate(now);
    return matches(doc);
  };
}
