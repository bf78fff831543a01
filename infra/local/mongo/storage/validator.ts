import { type Frame, newScope } from "../expressions/compile.ts";
import { compileFilter } from "../match/filter.ts";
import type { Doc } from "../values/document.ts";
import { UtcDate } from "../values/types.ts";

/** Whether a document may be stored at a time, which is what $$NOW means in the validator. */
export type Validator = (doc: Doc, now: number) => boolean;

/** Compiled once and used at any time, so that $$NOW is a variable of it. */
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
