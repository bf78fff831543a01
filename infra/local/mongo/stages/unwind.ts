import { fieldPath } from "../expressions/compile.ts";
import { shouldYield } from "../foundation/budget.ts";
import { needYield } from "../foundation/coroutine.ts";
import { Doc } from "../values/document.ts";
import { plainValue, setPlain } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import type { StageCompiler } from "./stage.ts";

interface Unwinding {
  readonly parts: readonly string[];
  readonly keepsEmpty: boolean;
  readonly index: readonly string[] | undefined;
}

function unwindSpec(spec: Value): Unwinding {
  const given = spec instanceof Doc ? spec : Doc.from({ path: spec });
  const indexField = given.get("includeArrayIndex");
  return {
    parts: fieldPath(String(given.get("path")).slice(1)),
    index: indexField === undefined ? undefined : fieldPath(String(indexField)),
    keepsEmpty: given.get("preserveNullAndEmptyArrays") === true,
  };
}

export const unwind: StageCompiler = (spec) => {
  const { parts, keepsEmpty, index: indexParts } = unwindSpec(spec);
  const place = (doc: Doc, index: Value): Doc => (indexParts === undefined ? doc : setPlain(doc, indexParts, index));
  /**
   * The result for a document without elements: the document itself if the field is not an array or empty ones are
   * kept.
   */
  const alone = (doc: Doc, value: Maybe): Doc | undefined => {
    if (Array.isArray(value)) return keepsEmpty ? place(setPlain(doc, parts, undefined), null) : undefined;
    return keepsEmpty || (value !== null && value !== undefined) ? place(doc, null) : undefined;
  };
  return (input) => {
    let current = Doc.empty;
    let items: readonly Value[] = [];
    let at = 0;
    return () => {
      if (shouldYield()) return needYield;
      while (at >= items.length) {
        const doc = input();
        if (doc === undefined || doc === needYield) return doc;
        const value = plainValue(doc, parts);
        current = doc;
        items = Array.isArray(value) ? value : [];
        at = 0;
        const kept = items.length === 0 ? alone(doc, value) : undefined;
        if (kept !== undefined) return kept;
      }
      const item = items[at] as Value;
      return place(setPlain(current, parts, item), BigInt(at++));
    };
  };
};
