import { MongoFault } from "../fault.ts";
import { compileFilter } from "../match/filter.ts";
import { checkDeadline } from "../query/execute.ts";
import { sorter } from "../query/sort.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { countSpec, matchSpec, sortSpec } from "./leading-stages.ts";
import { drain, lazily, type StageCompiler } from "./stage.ts";
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
