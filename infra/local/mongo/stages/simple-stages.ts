import { compileWithCost, countMemory, countWork } from "../foundation/budget.ts";
import { needYield } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import { compileTransform } from "../transform/transform.ts";
import { Doc } from "../values/document.ts";
import { memoryOf } from "../values/estimated-size.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { sorter } from "../values/sort.ts";
import { drain, each, lazySource } from "./flow.ts";
import { countSpec, matchSpec, sortSpec } from "./leading-stages.ts";
import type { StageCompiler } from "./stage.ts";

export const match: StageCompiler = (spec, { evaluation }) => {
  const [matches, cost] = compileWithCost(() => compileFilter(matchSpec(spec), evaluation));
  return (input) => () => {
    for (let doc = input(); doc !== undefined; doc = input()) {
      if (doc === needYield) return needYield;
      countWork(cost);
      if (matches(doc)) return doc;
    }
    return undefined;
  };
};

export const transforming: StageCompiler = (spec, { evaluation }, name) => {
  const [transform, cost] = compileWithCost(() => compileTransform(name, spec, evaluation.scope));
  const { frame } = evaluation;
  return (input) => () => {
    const doc = input();
    if (doc === undefined || doc === needYield) return doc;
    countWork(cost);
    return transform(doc, frame);
  };
};

export const skipOrLimit: StageCompiler = (spec, _scope, name) => {
  const count = countSpec(Doc.of([name], [spec]));
  if (name === "$limit") {
    return (input) => {
      let left = count;
      return () => {
        if (left <= 0) return undefined;
        const doc = input();
        if (doc !== needYield) left--;
        return doc;
      };
    };
  }
  return (input) => {
    let left = count;
    return () => {
      for (; left > 0; left--) {
        const doc = input();
        if (doc === undefined || doc === needYield) return doc;
      }
      return input();
    };
  };
};

export const sort: StageCompiler = (spec, { collation }) => {
  const fields = sortSpec(spec);
  return (input) =>
    lazySource(function* () {
      const sorting = sorter<Doc>(fields, collation?.order, undefined);
      yield* each(input, (doc) => {
        countMemory(memoryOf(doc));
        sorting.add(doc, doc);
      });
      return yield* sorting.done();
    });
};

export const sample: StageCompiler = (spec) => {
  if (!(spec instanceof Doc))
    throw new MongoFault("Location28745", "the $sample stage specification must be an object");
  const value = spec.get("size");
  if (!isNumeric(value)) throw new MongoFault("Location28746", "size argument to $sample must be a number");
  const size = Math.trunc(toNumber(value));
  if (size <= 0) throw new MongoFault("Location28747", "size argument to $sample must be a positive integer");
  return (input) =>
    lazySource(function* () {
      const docs = yield* drain(input);
      const count = Math.min(size, docs.length);
      for (let i = 0; i < count; i++) {
        const other = i + Math.floor(Math.random() * (docs.length - i));
        [docs[i], docs[other]] = [docs[other] as Doc, docs[i] as Doc];
      }
      return docs.slice(0, count);
    });
};
