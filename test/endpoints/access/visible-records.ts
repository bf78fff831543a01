import { fieldNames, type Model, type ModelRecord } from "./arbitrary-model.ts";
import { isEncrypted, isMasked, maskOf, mayField, rightTo } from "./reading-of-rules.ts";

/** A record that is stored. */
export interface Stored {
  readonly id: string;
  readonly record: ModelRecord;
  /** By field. A test changes them as it writes. */
  readonly values: Record<string, unknown>;
  /** The record of the first object that it refers to, which may be deleted since. */
  readonly refers: Stored | null;
}

export interface World {
  readonly model: Model;
  readonly names: readonly [string, string];
  readonly stored: readonly [Stored[], Stored[]];
}

/** The records that a member sees, with the fields that they may read. */
export const visible = ({ model, stored }: World, member: number, object: number) => {
  const readable = fieldNames.filter((name) => mayField(model, member, object, name, "read"));
  const records = (stored[object] ?? []).filter(({ record }) => rightTo(model, member, object, record) > 0);
  const inOrder = records.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const rowsOf = (names: readonly string[], shown: (name: string, value: unknown) => unknown) =>
    inOrder.map(({ id, values }) => ({
      id,
      ...Object.fromEntries(names.map((name) => [name, shown(name, values[name] ?? null)])),
    }));
  const masked = (name: string, value: unknown) =>
    isMasked(model, member, object, name) ? maskOf(model, object, name) : value;
  const inQuery = (name: string, value: unknown) => {
    const isHidden = isEncrypted(model, object, name) && value !== null;
    return isHidden ? "***" : masked(name, value);
  };
  return {
    readable,
    records,
    rows: rowsOf(readable, masked),
    queried: rowsOf(readable, inQuery),
    piped: rowsOf(
      readable.filter((name) => !isEncrypted(model, object, name)),
      masked,
    ),
  };
};
