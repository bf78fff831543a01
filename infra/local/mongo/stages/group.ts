import { compileAccumulator } from "../expressions/accumulators.ts";
import { compile, type Expr, type Frame } from "../expressions/compile.ts";
import type { Accumulator } from "../expressions/group-state.ts";
import { compileWithCost, countWork, shouldYield } from "../foundation/budget.ts";
import { sortYielding } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { Collation } from "../values/collation.ts";
import { compare, rankOf } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { estimateSize } from "../values/estimated-size.ts";
import type { Maybe, Value } from "../values/types.ts";
import { each, lazySource } from "./flow.ts";
import { type Group, groupTable } from "./group-table.ts";
import type { PipelineScope, Stage, StageCompiler } from "./stage.ts";

interface Field {
  readonly name: string;
  readonly accumulator: Accumulator;
}

interface Finish {
  /** Steps for each document. */
  readonly cost: number;
  readonly order?: (a: Group, b: Group) => number;
}

function grouping(
  { evaluation, collation }: PipelineScope,
  idOf: (frame: Frame) => Maybe,
  fields: readonly Field[],
  { cost, order }: Finish,
): Stage {
  const { frame } = evaluation;
  const names = ["_id", ...fields.map(({ name }) => name)];
  return (input) =>
    lazySource(function* () {
      const table = groupTable(collation?.order, (id) => ({
        id,
        states: fields.map(({ accumulator }) => accumulator()),
      }));
      yield* each(input, (doc) => {
        countWork(cost);
        frame[0] = doc;
        const { states } = table.at(idOf(frame) ?? null);
        for (const state of states) state.add(frame);
      });
      const groups = [...table.all()];
      const docs: Doc[] = [];
      for (const { id, states } of order === undefined ? groups : yield* sortYielding(groups, order)) {
        if (shouldYield()) yield;
        const doc = Doc.of(names.slice(), [id, ...states.map((state) => state.value() ?? null)]);
        estimateSize(doc);
        docs.push(doc);
      }
      return docs;
    });
}

function readFields(spec: Doc, scope: PipelineScope): Field[] {
  return spec.keys.flatMap((name, i) => {
    if (name === "_id") return [];
    if (name.includes(".")) throw new MongoFault("Location40235", `The field name '${name}' cannot contain '.'`);
    if (name.startsWith("$"))
      throw new MongoFault("Location40236", `The field name '${name}' cannot be an operator name`);
    const value = spec.values[i];
    if (!(value instanceof Doc))
      throw new MongoFault("Location40234", `The field '${name}' must be an accumulator object`);
    if (value.size !== 1) throw new MongoFault("Location40238", `The field '${name}' must specify one accumulator`);
    return [
      {
        name,
        accumulator: compileAccumulator(value.keys[0] as string, value.values[0] as Value, scope.evaluation.scope),
      },
    ];
  });
}

export const group: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw new MongoFault("Location15947", "a group's fields must be specified in an object");
  const id = spec.get("_id");
  if (id === undefined) throw new MongoFault("Location15955", "a group specification must include an _id");
  const [[idOf, fields], cost] = compileWithCost(
    () => [compile(id, scope.evaluation.scope), readFields(spec, scope)] as const,
  );
  return grouping(scope, idOf, fields, { cost });
};

export const sortByCount: StageCompiler = (spec, scope) => {
  const isExpression =
    (typeof spec === "string" && spec.startsWith("$")) || (spec instanceof Doc && spec.keys[0]?.startsWith("$"));
  if (!isExpression)
    throw new MongoFault(
      "Location40149",
      "the sortByCount field must be defined as a $-prefixed path or an expression inside an object",
    );
  const one = compileAccumulator("$sum", 1, scope.evaluation.scope);
  const [idOf, cost] = compileWithCost(() => compile(spec, scope.evaluation.scope));
  return grouping(scope, idOf, [{ name: "count", accumulator: one }], {
    cost,
    order: (a, b) => compare(b.states[0]?.value(), a.states[0]?.value()),
  });
};

export const count: StageCompiler = (spec) => {
  if (typeof spec !== "string" || spec === "")
    throw new MongoFault("Location40156", "the count field must be a non-empty string");
  if (spec.startsWith("$")) throw new MongoFault("Location40158", "the count field cannot be a $-prefixed path");
  if (spec.includes(".")) throw new MongoFault("Location40160", "the count field cannot contain '.'");
  return (input) =>
    lazySource(function* () {
      let n = 0;
      yield* each(input, () => {
        n++;
      });
      return n === 0 ? [] : [Doc.of([spec], [n])];
    });
};

/** The default bucket. It must be outside of the boundaries. */
function otherBucket(expr: Expr, edges: readonly Value[], collation: Collation | undefined): Value {
  if (expr.isConstant !== true)
    throw new MongoFault("Location40195", "The $bucket 'default' field must be a constant expression");
  const other = expr([]) ?? null;
  const isWithin =
    rankOf(other) === rankOf(edges[0]) &&
    compare(other, edges[0], collation?.order) >= 0 &&
    compare(other, edges.at(-1), collation?.order) < 0;
  if (isWithin)
    throw new MongoFault(
      "Location40199",
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  return other;
}

export const bucket: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw new MongoFault("Location40201", "Argument to $bucket stage must be an object");
  const by = spec.get("groupBy") as Value;
  const boundaries = spec.get("boundaries") as Value[];
  const { evaluation, collation } = scope;
  const edges = boundaries.map((value) => {
    const expr = compile(value, evaluation.scope);
    if (expr.isConstant !== true)
      throw new MongoFault("Location40191", "The $bucket 'boundaries' field must be an array of constant values");
    return expr([]) ?? null;
  });
  for (let i = 1; i < edges.length; i++) {
    if (rankOf(edges[i - 1]) !== rankOf(edges[i]))
      throw new MongoFault("Location40193", "All values in the 'boundaries' option to $bucket must have the same type");
    if (compare(edges[i - 1], edges[i], collation?.order) >= 0)
      throw new MongoFault("Location40194", "The 'boundaries' option to $bucket must be sorted");
  }
  const fallback = spec.get("default");
  const other = fallback === undefined ? undefined : otherBucket(compile(fallback, evaluation.scope), edges, collation);
  const output = spec.get("output") ?? Doc.from({ count: Doc.from({ $sum: 1 }) });
  if (!(output instanceof Doc)) throw new MongoFault("Location40196", "The $bucket 'output' field must be an object");
  const [[expr, fields], cost] = compileWithCost(
    () => [compile(by, evaluation.scope), readFields(output, scope)] as readonly [Expr, Field[]],
  );
  const bucketOf = (frame: Frame): Value => {
    const value = expr(frame);
    for (let i = edges.length - 1; i >= 0; i--) {
      if (compare(value, edges[i], collation?.order) < 0) continue;
      if (i < edges.length - 1) return edges[i] as Value;
      break;
    }
    if (other === undefined)
      throw new MongoFault(
        "Location40066",
        "$switch could not find a matching branch for an input, and no default was specified.",
      );
    return other;
  };
  return grouping(scope, bucketOf, fields, {
    cost: cost + edges.length,
    order: (a, b) => compare(a.id, b.id, collation?.order),
  });
};
