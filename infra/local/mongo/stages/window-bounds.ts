import { instantOf, type Unit, unitOf } from "../expressions/date-arguments.ts";
import { addTo } from "../expressions/date-arithmetic.ts";
import { countWork } from "../foundation/budget.ts";
import { failedToParse, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toInteger, toNumber } from "../values/numbers.ts";
import type { SortField, SortKey } from "../values/sort.ts";
import { utc } from "../values/time-zones.ts";
import { type Maybe, UtcDate, type Value } from "../values/types.ts";

/** A sorted partition, and what the outputs read of it. */
export interface Partition {
  readonly docs: readonly Doc[];
  readonly keys: readonly SortKey[];
  /** The value that `range` windows compare. */
  readonly position: (i: number) => Maybe;
}

type Bound = number | "unbounded" | "current";

export interface Window {
  readonly kind: "documents" | "range";
  readonly low: Bound;
  readonly high: Bound;
  readonly unit: Unit | undefined;
}

export function readWindow(spec: Maybe, sort: readonly SortField[]): Window {
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
    throw new MongoFault("Location5339900", "Lower bound must not exceed upper bound");
  if (kind === "range" && (sort.length !== 1 || sort[0]?.direction !== 1))
    throw new MongoFault("Location5339902", "Range-based bounds require an ascending sortBy a single field");
  if (kind === "documents" && sort.length === 0 && (low !== "unbounded" || high !== "unbounded"))
    throw new MongoFault("Location5339901", "Document-based bounds require a sortBy");
  const unit = spec.get("unit");
  return { kind, low, high, unit: unit === undefined ? undefined : unitOf(unit, "$setWindowFields") };
}

function readBound(bound: Value, kind: string): Bound {
  if (bound === "unbounded" || bound === "current") return bound;
  if (!isNumeric(bound)) throw failedToParse("Window bounds must be 'unbounded', 'current', or a number.");
  const number = kind === "documents" ? toInteger(bound) : toNumber(bound);
  if (number === undefined) throw new MongoFault("Location5339902", "Numeric document-based bounds must be an integer");
  return number;
}

export function startOf(partition: Partition, { kind, low, unit }: Window, i: number): number {
  if (low === "unbounded") return 0;
  const offset = low === "current" ? 0 : low;
  if (kind === "documents") return Math.max(0, i + offset);
  const edge = moved(partition.position(i), offset, unit);
  let k = 0;
  while (k < partition.docs.length && measured(partition.position(k), unit) < edge) k++;
  return k;
}

export function endOf(partition: Partition, { kind, high, unit }: Window, i: number): number {
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
  countWork(1);
  if (unit !== undefined && value instanceof UtcDate) return instantOf(value);
  if (unit === undefined && isNumeric(value)) return toNumber(value);
  throw new MongoFault(
    "Location5429414",
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
