import { compile, type Expr, type Frame, type Scope } from "../expressions/compile.ts";
import { needYield } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import type { Maybe, Value } from "../values/types.ts";
import type { StageCompiler } from "./stage.ts";

export const redact: StageCompiler = (spec, { evaluation }) => {
  const { scope, slot } = withRoot(evaluation.scope);
  const expr = compile(spec, scope);
  const { frame } = evaluation;
  return (input) => () => {
    for (let doc = input(); doc !== undefined; doc = input()) {
      if (doc === needYield) return needYield;
      frame[slot] = doc;
      const kept = redacted(doc, expr, frame);
      if (kept !== undefined) return kept;
    }
    return undefined;
  };
};

/** In nested documents paths begin at the nested document, and $$ROOT remains the whole document. */
function withRoot(scope: Scope): { scope: Scope; slot: number } {
  const slot = scope.size.next++;
  return { slot, scope: { ...scope, slots: new Map([...scope.slots, ["ROOT", slot]]) } };
}

function redacted(doc: Doc, expr: Expr, frame: Frame): Doc | undefined {
  frame[0] = doc;
  const verdict = expr(frame);
  if (verdict === "keep") return doc;
  if (verdict === "prune") return undefined;
  if (verdict !== "descend")
    throw new MongoFault("Location17053", "$redact must evaluate to one of $$DESCEND, $$PRUNE, or $$KEEP");
  const keys: string[] = [];
  const values: Value[] = [];
  doc.keys.forEach((key, i) => {
    const value = redactedValue(doc.values[i] as Value, expr, frame);
    if (value === undefined) return;
    keys.push(key);
    values.push(value);
  });
  return Doc.of(keys, values);
}

function redactedValue(value: Value, expr: Expr, frame: Frame): Maybe {
  if (value instanceof Doc) return redacted(value, expr, frame);
  if (!Array.isArray(value)) return value;
  return value.map((item) => redactedValue(item, expr, frame)).filter((item) => item !== undefined);
}
