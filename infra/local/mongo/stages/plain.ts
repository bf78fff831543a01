import { compile, type Expr, type Frame } from "../expressions/compile.ts";
import { MongoFault } from "../fault.ts";
import { compileFilter } from "../match/filter.ts";
import { checkDeadline } from "../query/execute.ts";
import { sorter } from "../query/sort.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { splitPath } from "../values/paths.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compilePipeline, countSpec, drain, lazily, matchSpec, type StageCompiler, sortSpec } from "./pipeline.ts";
import { compileTransform } from "./transform.ts";

export const match: StageCompiler = (spec, { evaluation, operating }) => {
  const matches = compileFilter(matchSpec(spec), evaluation);
  let seen = 0;
  return (input) => () => {
    for (let doc = input(); doc !== undefined; doc = input()) {
      if ((++seen & 1023) === 0) checkDeadline(operating.deadline);
      if (matches(doc)) return doc;
    }
    return undefined;
  };
};

export const transforming: StageCompiler = (spec, { evaluation, operating }, name) => {
  const transform = compileTransform(name, spec, evaluation.scope);
  const { frame } = evaluation;
  let seen = 0;
  return (input) => () => {
    const doc = input();
    if ((++seen & 1023) === 0) checkDeadline(operating.deadline);
    return doc === undefined ? undefined : transform(doc, frame);
  };
};

export const skipOrLimit: StageCompiler = (spec, _scope, name) => {
  const count = countSpec(Doc.of([name], [spec]));
  if (name === "$limit") {
    return (input) => {
      let left = count;
      return () => (left-- > 0 ? input() : undefined);
    };
  }
  return (input) => {
    let left = count;
    return () => {
      for (; left > 0; left--) if (input() === undefined) return undefined;
      return input();
    };
  };
};

export const sort: StageCompiler = (spec, { collation }) => {
  const fields = sortSpec(spec);
  return (input) =>
    lazily(() => {
      const sorting = sorter<Doc>(fields, collation?.order, undefined);
      for (let doc = input(); doc !== undefined; doc = input()) sorting.add(doc, doc);
      return sorting.done();
    });
};

export const sample: StageCompiler = (spec) => {
  if (!(spec instanceof Doc)) throw new MongoFault(28745, "the $sample stage specification must be an object");
  const value = spec.get("size");
  if (!isNumeric(value)) throw new MongoFault(28746, "size argument to $sample must be a number");
  const size = Math.trunc(toNumber(value));
  if (size <= 0) throw new MongoFault(28747, "size argument to $sample must be a positive integer");
  return (input) =>
    lazily(() => {
      const docs = drain(input);
      const count = Math.min(size, docs.length);
      for (let i = 0; i < count; i++) {
        const other = i + Math.floor(Math.random() * (docs.length - i));
        [docs[i], docs[other]] = [docs[other] as Doc, docs[i] as Doc];
      }
      return docs.slice(0, count);
    });
};

export const facet: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc) || spec.size === 0)
    throw new MongoFault(40169, "the $facet specification must be a non-empty object");
  const pipelines = spec.keys.map((name, i) => {
    const stages = spec.values[i];
    if (name.startsWith("$") || name.includes(".") || name === "")
      throw new MongoFault(16410, `invalid name of a facet: '${name}'`);
    if (!Array.isArray(stages))
      throw new MongoFault(40170, `arguments to $facet must be arrays, ${name} is type ${typeName(stages)}`);
    return {
      name,
      pipeline: compilePipeline({ ...scope, collection: scope.collection ?? "", inside: "$facet" }, stages),
    };
  });
  return (input) =>
    lazily(() => {
      const docs = drain(input);
      return [
        Doc.of(
          pipelines.map(({ name }) => name),
          pipelines.map(({ pipeline }) => {
            let at = 0;
            return drain(pipeline.over(() => docs[at++]));
          }),
        ),
      ];
    });
};

export const unionWith: StageCompiler = (spec, scope) => {
  const from = typeof spec === "string" ? spec : spec instanceof Doc ? spec.get("coll") : undefined;
  const stages = spec instanceof Doc ? (spec.get("pipeline") ?? []) : [];
  if (spec instanceof Doc)
    for (const key of spec.keys)
      if (key !== "coll" && key !== "pipeline")
        throw new MongoFault(40415, `BSON field '$unionWith.${key}' is an unknown field.`);
  if (!Array.isArray(stages))
    throw new MongoFault(14, "BSON field '$unionWith.pipeline' is the wrong type, expected type 'array'");
  if (from !== undefined && typeof from !== "string")
    throw new MongoFault(14, "BSON field '$unionWith.coll' is the wrong type, expected type 'string'");
  if (from === undefined && (stages[0] as Maybe) === undefined)
    throw new MongoFault(
      9,
      "the $unionWith stage specification must name a collection or hold a pipeline with $documents",
    );
  const pipeline = compilePipeline({ ...scope, collection: from, inside: "$unionWith" }, stages);
  return (input) => {
    let other: (() => Doc | undefined) | undefined;
    return () => {
      if (other === undefined) {
        const doc = input();
        if (doc !== undefined) return doc;
        other = pipeline.open();
      }
      return other();
    };
  };
};

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

/** Only documents lead on along the path: an array on the way ends it. */
function plainValue(doc: Doc, parts: readonly string[]): Maybe {
  let value: Maybe = doc;
  for (const part of parts) value = value instanceof Doc ? value.get(part) : undefined;
  return value;
}

export function setPlain(doc: Doc, parts: readonly string[], value: Maybe, at = 0): Doc {
  const part = parts[at] as string;
  if (at === parts.length - 1) return value === undefined ? doc.without(part) : doc.with(part, value);
  const child = doc.get(part);
  return doc.with(part, setPlain(child instanceof Doc ? child : Doc.empty, parts, value, at + 1));
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

export const redact: StageCompiler = (spec, { evaluation }) => {
  const expr = compile(spec, evaluation.scope);
  const { frame } = evaluation;
  return (input) => () => {
    for (let doc = input(); doc !== undefined; doc = input()) {
      const kept = redacted(doc, expr, frame);
      if (kept !== undefined) return kept;
    }
    return undefined;
  };
};

function redacted(doc: Doc, expr: Expr, frame: Frame): Doc | undefined {
  frame[0] = doc;
  const verdict = expr(frame);
  if (verdict === "keep") return doc;
  if (verdict === "prune") return undefined;
  if (verdict !== "descend")
    throw new MongoFault(17053, "$redact must evaluate to one of $$DESCEND, $$PRUNE, or $$KEEP");
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
