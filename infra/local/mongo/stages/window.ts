import { compileAccumulator } from "../expressions/accumulators.ts";
import { compile, type Expr, type Frame, fieldPath } from "../expressions/compile.ts";
import { type Unit, unitOf } from "../expressions/date-arguments.ts";
import { addTo } from "../expressions/date-arithmetic.ts";
import type { Accumulator } from "../expressions/group-state.ts";
import { failedToParse, MongoFault, unsupported } from "../fault.ts";
import { isKnownElsewhere, isListed } from "../operators.ts";
import { compareSortKeys, readSort, type SortField, type SortKey, sortKey } from "../query/sort.ts";
import { compare } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { encodeKey } from "../values/key.ts";
import { isNumeric, toInteger, toNumber } from "../values/numbers.ts";
import { utc } from "../values/time-zones.ts";
import { type Maybe, UtcDate, type Value } from "../values/types.ts";
import { drain, lazily, type PipelineScope, type StageCompiler } from "./pipeline.ts";
import { setPlain } from "./plain.ts";

/** A partition in its order, and what the outputs read of it. */
interface Partition {
  readonly docs: readonly Doc[];
  readonly keys: readonly SortKey[];
  /** The value that `range` windows measure. */
  readonly position: (i: number) => Maybe;
}

type Output = (partition: Partition, frame: Frame) => Value[];

/** Accumulators that may be used over a window, beside those that only windows have. */
const windowed = [
  "$sum",
  "$avg",
  "$min",
  "$max",
  "$push",
  "$addToSet",
  "$first",
  "$last",
  "$stdDevPop",
  "$stdDevSamp",
  "$count",
  "$firstN",
  "$lastN",
  "$minN",
  "$maxN",
  "$top",
  "$topN",
  "$bottom",
  "$bottomN",
];
const ranks = ["$rank", "$denseRank", "$documentNumber"];
export const windowNames: readonly string[] = [...windowed, ...ranks, "$shift"];

type Bound = number | "unbounded" | "current";

interface Window {
  readonly kind: "documents" | "range";
  readonly low: Bound;
  readonly high: Bound;
  readonly unit: Unit | undefined;
}

export const setWindowFields: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw failedToParse("the $setWindowFields stage specification must be an object");
  for (const key of spec.keys)
    if (!["partitionBy", "sortBy", "output"].includes(key))
      throw new MongoFault(40415, `BSON field '$setWindowFields.${key}' is an unknown field.`);
  const { evaluation, collation } = scope;
  const sort = readSort(spec.get("sortBy"), "sortBy");
  const partitionBy = spec.get("partitionBy");
  const partition = partitionBy === undefined ? undefined : compile(partitionBy, evaluation.scope);
  const output = spec.get("output");
  if (!(output instanceof Doc))
    throw new MongoFault(40414, "BSON field '$setWindowFields.output' is missing but a required field");
  const fields = output.keys.map((name, i) => ({
    path: fieldPath(name),
    compute: readOutput(output.values[i] as Value, sort, scope),
  }));
  const { frame } = evaluation;
  const order = collation?.order;
  if (order !== undefined && partition !== undefined)
    throw unsupported("$setWindowFields with partitionBy and a collation");
  return (input) =>
    lazily(() => {
      const partitions = new Map<string, { by: Value; docs: Doc[] }>();
      for (const doc of drain(input)) {
        const by = partition === undefined ? null : valueAt(partition, doc, frame);
        if (Array.isArray(by))
          throw new MongoFault(14, "An expression used to partition cannot evaluate to value of type array");
        const key = encodeKey(by);
        const found = partitions.get(key);
        if (found === undefined) partitions.set(key, { by, docs: [doc] });
        else found.docs.push(doc);
      }
      const ordered = [...partitions.values()].sort((a, b) => compare(a.by, b.by));
      return ordered.flatMap(({ docs }) => {
        const entries = docs.map((doc) => ({ doc, key: sortKey(doc, sort, order) }));
        entries.sort(
          (
            (byKey) => (a, b) =>
              byKey(a.key, b.key)
          )(compareSortKeys(sort, order)),
        );
        const sorted: Partition = {
          docs: entries.map(({ doc }) => doc),
          keys: entries.map(({ key }) => key),
          position: (i) => entries[i]?.key[0],
        };
        const columns = fields.map(({ compute }) => compute(sorted, frame));
        return sorted.docs.map((doc, i) =>
          fields.reduce((result, { path }, k) => setPlain(result, path, columns[k]?.[i]), doc),
        );
      });
    });
};

function valueAt(expr: Expr, doc: Doc, frame: Frame): Value {
  frame[0] = doc;
  return expr(frame) ?? null;
}

function readOutput(spec: Value, sort: readonly SortField[], scope: PipelineScope): Output {
  if (!(spec instanceof Doc) || spec.size === 0)
    throw failedToParse("The output of $setWindowFields must be an object with a window function");
  const name = spec.keys[0] as string;
  if (!isListed("window", name)) {
    if (isKnownElsewhere(name)) throw unsupported(name);
    throw failedToParse(`Unrecognized window function, ${name}`);
  }
  for (const key of spec.keys.slice(1))
    if (key !== "window") throw failedToParse(`Window function found an unknown argument: ${key}`);
  const argument = spec.values[0] as Value;
  if (ranks.includes(name)) return rank(name, argument, spec, sort, scope);
  if (name === "$shift") return shift(argument, spec, sort, scope);
  const accumulator = compileAccumulator(name, argument, scope.evaluation.scope);
  return overWindow(accumulator, readWindow(spec.get("window"), sort));
}

function rank(name: string, argument: Value, spec: Doc, sort: readonly SortField[], scope: PipelineScope): Output {
  if (!(argument instanceof Doc) || argument.size > 0)
    throw failedToParse(`${name} must be specified with '{}' as the value`);
  if (spec.has("window")) throw failedToParse("Rank style window functions take no other arguments");
  if (sort.length === 0 || (name !== "$documentNumber" && sort.length !== 1))
    throw new MongoFault(
      5371602,
      `${name} must be specified with a top level sortBy expression with exactly one element`,
    );
  const byKey = compareSortKeys(sort, scope.collation?.order);
  return ({ keys }) => {
    let dense = 0;
    let first = 0;
    return keys.map((key, i) => {
      if (i === 0 || byKey(keys[i - 1] as SortKey, key) !== 0) {
        dense++;
        first = i + 1;
      }
      return name === "$rank" ? first : name === "$denseRank" ? dense : i + 1;
    });
  };
}

function shift(argument: Value, spec: Doc, sort: readonly SortField[], scope: PipelineScope): Output {
  if (!(argument instanceof Doc) || spec.has("window"))
    throw failedToParse("Argument to $shift must be an object, without a window");
  for (const key of argument.keys)
    if (!["output", "by", "default"].includes(key)) throw failedToParse(`Unknown argument in $shift: ${key}`);
  if (sort.length === 0) throw failedToParse("'$shift' requires a sortBy");
  const by = toInteger(argument.get("by"));
  const output = argument.get("output");
  if (by === undefined || output === undefined) throw failedToParse("$shift requires 'output' and an integer 'by'");
  const expr = compile(output, scope.evaluation.scope);
  const fallback = argument.get("default");
  const otherwise = fallback === undefined ? null : (compile(fallback, scope.evaluation.scope)([]) ?? null);
  return ({ docs }, frame) =>
    docs.map((_, i) => {
      const doc = docs[i + by];
      return doc === undefined ? otherwise : valueAt(expr, doc, frame);
    });
}

function readWindow(spec: Maybe, sort: readonly SortField[]): Window {
  if (spec === undefined) return { kind: "documents", low: "unbounded", high: "unbounded", unit: undefined };
  if (!(spec instanceof Doc)) throw failedToParse("'window' field must be an object");
  for (const key of spec.keys)
    if (!["documents", "range", "unit"].includes(key))
      throw failedToParse(
        `'window' field can only contain 'documents' or 'range' with an optional 'unit', found ${key}`,
      );
  const kind = spec.has("documents") ? "documents" : spec.has("range") ? "range" : undefined;
  if (kind === undefined) return { kind: "documents", low: "unbounded", high: "unbounded", unit: undefined };
  if (spec.has("documents") && (spec.has("range") || spec.has("unit")))
    throw failedToParse("Window bounds can specify either 'documents' or 'range', not both");
  const bounds = spec.get(kind);
  if (!Array.isArray(bounds) || bounds.length !== 2) throw failedToParse("Window bounds must be a 2-element array");
  const [low, high] = bounds.map((bound) => readBound(bound, kind)) as [Bound, Bound];
  if (typeof low === "number" && typeof high === "number" && low > high)
    throw new MongoFault(5339900, "Lower bound must not exceed upper bound");
  if (kind === "range" && (sort.length !== 1 || sort[0]?.direction !== 1))
    throw new MongoFault(5339902, "Range-based bounds require an ascending sortBy a single field");
  if (kind === "documents" && sort.length === 0 && (low !== "unbounded" || high !== "unbounded"))
    throw new MongoFault(5339901, "Document-based bounds require a sortBy");
  const unit = spec.get("unit");
  return { kind, low, high, unit: unit === undefined ? undefined : unitOf(unit, "$setWindowFields") };
}

function readBound(bound: Value, kind: string): Bound {
  if (bound === "unbounded" || bound === "current") return bound;
  if (!isNumeric(bound)) throw failedToParse("Window bounds must be 'unbounded', 'current', or a number.");
  const number = kind === "documents" ? toInteger(bound) : toNumber(bound);
  if (number === undefined) throw new MongoFault(5339902, "Numeric document-based bounds must be an integer");
  return number;
}

function overWindow(accumulator: Accumulator, window: Window): Output {
  return (partition, frame) => {
    const { docs } = partition;
    const feed = (state: ReturnType<Accumulator>, i: number): void => {
      frame[0] = docs[i];
      state.add(frame);
    };
    const result: Value[] = [];
    // A window that only grows needs one pass.
    if (window.low === "unbounded") {
      const state = accumulator();
      let done = 0;
      for (let i = 0; i < docs.length; i++) {
        const end = endOf(partition, window, i);
        for (; done < end; done++) feed(state, done);
        const value = state.value() ?? null;
        result.push(Array.isArray(value) ? [...value] : value);
      }
      return result;
    }
    for (let i = 0; i < docs.length; i++) {
      const state = accumulator();
      const end = endOf(partition, window, i);
      for (let k = startOf(partition, window, i); k < end; k++) feed(state, k);
      result.push(state.value() ?? null);
    }
    return result;
  };
}

function startOf(partition: Partition, { kind, low, unit }: Window, i: number): number {
  if (low === "unbounded") return 0;
  const offset = low === "current" ? 0 : low;
  if (kind === "documents") return Math.max(0, i + offset);
  const edge = moved(partition.position(i), offset, unit);
  let k = 0;
  while (k < partition.docs.length && measured(partition.position(k), unit) < edge) k++;
  return k;
}

function endOf(partition: Partition, { kind, high, unit }: Window, i: number): number {
  const { length } = partition.docs;
  if (high === "unbounded") return length;
  const offset = high === "current" ? 0 : high;
  if (kind === "documents") return Math.min(length, Math.max(0, i + offset + 1));
  const edge = moved(partition.position(i), offset, unit);
  let k = i;
  while (k < length && measured(partition.position(k), unit) <= edge) k++;
  while (k > 0 && measured(partition.position(k - 1), unit) > edge) k--;
  return k;
}

function measured(value: Maybe, unit: Unit | undefined): number {
  if (unit !== undefined && value instanceof UtcDate) return value.ms;
  if (unit === undefined && isNumeric(value)) return toNumber(value);
  throw new MongoFault(
    5429414,
    unit === undefined
      ? "Invalid range: Expected the sortBy field to be a number"
      : "Invalid range: Expected the sortBy field to be a Date",
  );
}

function moved(value: Maybe, offset: number, unit: Unit | undefined): number {
  const position = measured(value, unit);
  if (unit === undefined) return position + offset;
  return offset === 0 ? position : addTo(position, unit, offset, utc);
}
