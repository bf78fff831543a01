import { type Source, sourceOf } from "../execution/cursors.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { deferredSource, drain, lazySource } from "./flow.ts";
import { compilePipeline } from "./pipeline.ts";
import type { StageCompiler } from "./stage.ts";

export const facet: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc) || spec.size === 0)
    throw new MongoFault("Location40169", "the $facet specification must be a non-empty object");
  const pipelines = spec.keys.map((name, i) => {
    const stages = spec.values[i];
    if (name.startsWith("$") || name.includes(".") || name === "")
      throw new MongoFault("Location16410", `invalid name of a facet: '${name}'`);
    if (!Array.isArray(stages))
      throw new MongoFault("Location40170", `arguments to $facet must be arrays, ${name} is type ${typeName(stages)}`);
    return {
      name,
      pipeline: compilePipeline({ ...scope, collection: scope.collection ?? "", inside: "$facet" }, stages),
    };
  });
  return (input) =>
    lazySource(function* () {
      const docs = yield* drain(input);
      const results: Value[] = [];
      for (const { pipeline } of pipelines) results.push(yield* drain(pipeline.over(sourceOf(docs))));
      return [
        Doc.of(
          pipelines.map(({ name }) => name),
          results,
        ),
      ];
    });
};

export const unionWith: StageCompiler = (spec, scope) => {
  const from = typeof spec === "string" ? spec : spec instanceof Doc ? spec.get("coll") : undefined;
  const stages = spec instanceof Doc ? (spec.get("pipeline") ?? []) : [];
  if (!Array.isArray(stages))
    throw new MongoFault("TypeMismatch", "BSON field '$unionWith.pipeline' is the wrong type, expected type 'array'");
  if (from !== undefined && typeof from !== "string")
    throw new MongoFault("TypeMismatch", "BSON field '$unionWith.coll' is the wrong type, expected type 'string'");
  if (from === undefined && (stages[0] as Maybe) === undefined)
    throw new MongoFault(
      "FailedToParse",
      "the $unionWith stage specification must name a collection or hold a pipeline with $documents",
    );
  const pipeline = compilePipeline({ ...scope, collection: from, inside: "$unionWith" }, stages);
  return (input) => {
    let other: Source | undefined;
    return () => {
      if (other === undefined) {
        const doc = input();
        if (doc !== undefined) return doc;
        other = deferredSource(() => pipeline.open());
      }
      return other();
    };
  };
};
