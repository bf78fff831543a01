import { now } from "#shared/foundation/clock";
import { untilFresh } from "#shared/tenant/tenant";
import { apiRecordOf } from "../api-record.ts";
import { deleteRecords, type LocOf, refuseByRules } from "../delete-records.ts";
import { notifyOwnersOfChanges } from "../owner-notices.ts";
import type { Target } from "../target.ts";
import { readBefore } from "./read-before.ts";
import {
  type CheckedWrite,
  type Commit,
  carryOut,
  type LocOfId,
  mapsOf,
  type Scope,
  type ScopedHooks,
} from "./scope.ts";

const check = async (target: Target, scope: Scope, ids: readonly string[], locOf: LocOf): Promise<CheckedWrite> => {
  const { object } = target;
  const { records, seen } = await readBefore(target, scope, ids, () => "delete");
  const apiRecord = await apiRecordOf(target);
  const writing = {
    operation: "delete",
    written: records.map((before) => ({ before, after: null })),
    apiRecord,
  } as const;
  const at: LocOfId = (id) => (id === undefined ? locOf(ids[0] ?? "").slice(0, 1) : locOf(id));
  for (const hook of scope.hooks?.before ?? []) await hook.run(mapsOf(target, writing, at), scope.scope);
  await refuseByRules(target, records, locOf);
  return {
    target,
    write: {
      object,
      operation: "delete",
      records: ids.map((id) => ({ id, changes: null })),
      at: now(),
      seen: [...seen],
      references: [],
    },
    writing,
    at,
    store: async (session) => {
      const removed = await deleteRecords(target, ids, locOf, session);
      return () => notifyOwnersOfChanges(target, removed);
    },
  };
};

/** Runs a transaction, prepared again after a `StaleWrite`. */
export const transactionOf =
  ({ tenant }: Target): Commit =>
  (prepare) =>
    untilFresh(async () => {
      const work = await prepare();
      await tenant.transaction(work);
      return undefined;
    });

/** Deletes records that sync triggers follow, or for one. See `RecordWriter.remove`. */
export const removeHooked = async (
  target: Target,
  scoped: ScopedHooks,
  ids: readonly string[],
  locOf: LocOf,
): Promise<void> => {
  await carryOut(target.tenant, scoped, (scope) => check(target, scope, ids, locOf), transactionOf(target));
};
