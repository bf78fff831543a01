import { findCollection } from "../execution/collections.ts";
import { compile } from "../expressions/compile.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { type Collection, sizesOf } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";
import { UtcDate, type Value } from "../values/types.ts";
import { lazySource } from "./flow.ts";
import type { PipelineScope, StageCompiler } from "./stage.ts";

export const documents: StageCompiler = (spec, { evaluation }) => {
  const expr = compile(spec, evaluation.scope);
  return () =>
    lazySource(function* () {
      const list = expr(evaluation.frame);
      if (!Array.isArray(list) || !list.every((item) => item instanceof Doc))
        throw new MongoFault("Location5858203", "the $documents stage needs an array of documents");
      return list;
    });
};

function source({ context, db, collection }: PipelineScope): Collection {
  const found = collection === undefined ? undefined : findCollection(context, db, collection);
  if (found === undefined) throw new MongoFault("NamespaceNotFound", `Collection [${db}.${collection}] not found.`);
  return found;
}

export const collStats: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw new MongoFault("Location5447000", "$collStats must take a nested object");
  for (const key of spec.keys)
    if (key !== "count" && key !== "storageStats") throw unsupported(`$collStats with ${key}`);
  return () =>
    // biome-ignore lint/correctness/useYield: it is one document.
    lazySource(function* () {
      const collection = source(scope);
      const fields: Record<string, Value> = {
        ns: `${scope.db}.${collection.name}`,
        localTime: new UtcDate(scope.context.engine.clock()),
      };
      if (spec.has("storageStats")) fields.storageStats = Doc.from(sizesOf(collection));
      if (spec.has("count")) fields.count = collection.records.size;
      return [Doc.from(fields)];
    });
};

export const indexStats: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc) || spec.size > 0)
    throw new MongoFault("Location28803", "The $indexStats stage specification must be an empty object");
  return () =>
    lazySource(function* () {
      return source(scope).indexes.map((index) =>
        Doc.from({
          name: index.name,
          key: index.spec.get("key"),
          spec: index.spec,
          accesses: Doc.from({ ops: BigInt(index.accesses), since: new UtcDate(index.since) }),
        }),
      );
    });
};
