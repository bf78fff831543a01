import { MongoFault } from "../fault.ts";
import { Doc } from "../values/document.ts";
import { splitPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { plainValue, setPlain } from "./document-paths.ts";
import type { StageCompiler } from "./stage.ts";

interface Unwinding {
  readonly parts: readonly string[];
  readonly keepsEmpty: boolean;
  readonly indexField: string | undefined;
}

function unwindSpec(spec: Value): Unwinding {
  const path = spec instanceof Doc ? spec.get("path") : spec;
  if (typeof path !== "string")
    throw new MongoFault(spec instanceof Doc ? 28808 : 15981, "expected a string as the path for $unwind stage");
  if (!path.startsWith("$"))
    throw new MongoFault(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const indexField = spec instanceof Doc ? spec.get("includeArrayIndex") : undefined;
  if (spec instanceof Doc)
    for (const key of spec.keys)
      if (!["path", "includeArrayIndex", "preserveNullAndEmptyArrays"].includes(key))
        throw new MongoFault(28811, `unrecognized option to $unwind stage: ${key}`);
  if (indexField !== undefined && (typeof indexField !== "string" || indexField === ""))
    throw new MongoFault(28810, "expected a non-empty string for the includeArrayIndex option to $unwind stage");
  if (typeof indexField === "string" && indexField.startsWith("$"))
    throw new MongoFault(28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$'");
  return {
    parts: splitPath(path.slice(1)),
    indexField: indexField as string | undefined,
    keepsEmpty: spec instanceof Doc && spec.get("preserveNullAndEmptyArrays") === true,
  };
}

export const unwind: StageCompiler = (spec) => {
  const { parts, keepsEmpty, indexField } = unwindSpec(spec);
  const indexParts = indexField === undefined ? undefined : splitPath(indexField);
  const place = (doc: Doc, index: Value): Doc => (indexParts === undefined ? doc : setPlain(doc, indexParts, index));
  /** What a document without elements leaves: itself if its field is no array, and maybe if there is nothing. */
  const alone = (doc: Doc, value: Maybe): Doc | undefined => {
    if (Array.isArray(value)) return keepsEmpty ? place(setPlain(doc, parts, undefined), null) : undefined;
    return keepsEmpty || (value !== null && value !== undefined) ? place(doc, null) : undefined;
  };
  return (input) => {
    let current = Doc.empty;
    let items: readonly Value[] = [];
    let at = 0;
    return () => {
      while (at >= items.length) {
        const doc = input();
        if (doc === undefined) return undefined;
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
