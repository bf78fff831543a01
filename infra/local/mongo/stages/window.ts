import { compile, fieldPath } from "../expressions/compile.ts";
import { countMemory, shouldYield } from "../foundation/budget.ts";
import { sortYielding } from "../foundation/coroutine.ts";
import { failedToParse, MongoFault, unsupported } from "../foundation/fault.ts";
import { compare } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { memoryOf } from "../values/estimated-size.ts";
import { encodeKey } from "../values/key.ts";
import { setPlain } from "../values/paths.ts";
import { compareSortKeys, readSort, type SortKey, sortKey } from "../values/sort.ts";
import type { Value } from "../values/types.ts";
import { each, lazySource } from "./flow.ts";
import type { StageCompiler } from "./stage.ts";
import type { Partition } from "./window-bounds.ts";
import { readOutput, valueAt } from "./window-functions.ts";

export const setWindowFields: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw failedToParse("the $setWindowFields stage specification must be an object");
  const { evaluation, collation } = scope;
  const sort = readSort(spec.get("sortBy"), "sortBy");
  const partitionBy = spec.get("partitionBy");
  const partition = partitionBy === undefined ? undefined : compile(partitionBy, evaluation.scope);
  const output = spec.get("output");
  if (!(output instanceof Doc))
    throw new MongoFault("IDLFailedToParse", "BSON field '$setWindowFields.output' is missing but a required field");
  const fields = output.keys.map((name, i) => ({
    path: fieldPath(name),
    compute: readOutput(output.values[i] as Value, sort, scope),
  }));
  const { frame } = evaluation;
  const order = collation?.order;
  if (order !== undefined && partition !== undefined)
    throw unsupported("$setWindowFields with partitionBy and a collation");
  return (input) =>
    lazySource(function* () {
      const partitions = new Map<string, { by: Value; docs: Doc[] }>();
      yield* each(input, (doc) => {
        const by = partition === undefined ? null : valueAt(partition, doc, frame);
        if (Array.isArray(by))
          throw new MongoFault(
            "TypeMismatch",
            "An expression used to partition cannot evaluate to value of type array",
          );
        const key = encodeKey(by);
        const found = partitions.get(key);
        if (found === undefined) partitions.set(key, { by, docs: [doc] });
        else found.docs.push(doc);
        countMemory(memoryOf(doc) + 64);
      });
      const byKey = compareSortKeys(sort, order);
      const results: Doc[] = [];
      for (const { docs } of yield* sortYielding([...partitions.values()], (a, b) => compare(a.by, b.by))) {
        const keyed: { doc: Doc; key: SortKey }[] = [];
        for (const doc of docs) {
          if (shouldYield()) yield;
          keyed.push({ doc, key: sortKey(doc, sort, order) });
        }
        const entries = yield* sortYielding(keyed, (a, b) => byKey(a.key, b.key));
        const sorted: Partition = {
          docs: entries.map(({ doc }) => doc),
          keys: entries.map(({ key }) => key),
          position: (i) => entries[i]?.key[0],
        };
        const columns: Value[][] = [];
        for (const { compute } of fields) columns.push(yield* compute(sorted, frame));
        for (const [i, doc] of sorted.docs.entries()) {
          if (shouldYield()) yield;
          results.push(fields.reduce((result, { path }, k) => setPlain(result, path, columns[k]?.[i]), doc));
        }
      }
      return results;
    });
};
