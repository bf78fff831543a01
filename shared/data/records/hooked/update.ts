import { now } from "#shared/foundation/clock";
import { refuseIfAny } from "#shared/foundation/faults";
import { apiRecordOf, type Written } from "../api-record.ts";
import { finishChecks, newBatch } from "../batch.ts";
import {
  changeRecords,
  followChange,
  merged,
  type Patch,
  protectPatches,
  rightsNeeded,
  ruleIssuesOf,
  stampOf,
} from "../change-records.ts";
import type { Batch } from "../check-record.ts";
import { definitionIssues } from "../definitions/definitions.ts";
import { heldValues } from "../held-values.ts";
import { ensureIndexes } from "../indexes.ts";
import type { StoredRecord } from "../stored-record.ts";
import type { Target } from "../target.ts";
import { refuseRepeatedValues, toDuplicateValue } from "../unique-values.ts";
import { answerOf } from "./answer.ts";
import { checkRewritten } from "./before.ts";
import { readBefore } from "./read-before.ts";
import { transactionOf } from "./remove.ts";
import { type CheckedWrite, carryOut, mapsOf, type Scope, type ScopedHooks } from "./scope.ts";

/** The changes of a request, whose issues the batch collects. */
export type PatchesOf = (batch: Batch) => readonly Patch[];

interface Sent {
  readonly items: readonly unknown[];
  readonly patchesOf: PatchesOf;
}

const check = async (plain: Target, own: Scope, { items, patchesOf }: Sent): Promise<CheckedWrite> => {
  const { scope, hooks, buffer, isInner } = own;
  const target: Target = isInner ? { ...plain, createdToo: () => buffer.createdNames() } : plain;
  const { object, tenant } = target;
  const batch = await newBatch(target, "update", items);
  let patches = patchesOf(batch);
  const ids = patches.map(({ id }) => id);
  const contexts = (index: number) => patches[index]?.context ?? { report: batch.report, at: ["body"], secret: false };
  const at = now();
  const stamp = stampOf(tenant, at);
  const held = heldValues(target, patches);
  const kept = await finishChecks(target, batch, () => [], held);
  const { records, seen } = await readBefore(target, own, ids, rightsNeeded(patches));
  // Before the transaction, because it may need KMS.
  let apiRecord = await apiRecordOf(target);
  const locOf = (id?: string) => (id === undefined ? ["body"] : contexts(ids.indexOf(id)).at);
  const writingOf = (all: readonly Patch[]) => {
    const afterOf = (before: StoredRecord, index: number) => merged(before, { ...all[index]?.changes, ...stamp });
    const written = records.map((before, index) => ({ before, after: afterOf(before, index) }));
    return { operation: "update", written, apiRecord } as const;
  };

  for (const hook of hooks?.before ?? []) {
    const maps = mapsOf(target, writingOf(patches), locOf);
    const left = await hook.run(maps, scope);
    const rewritten = { hook, operation: "update", ids, given: maps.new_map, left, contexts } as const;
    const changed = await checkRewritten(target, rewritten, held);
    patches = patches.map((patch, index) => ({ ...patch, changes: { ...patch.changes, ...changed[index] } }));
  }

  const writes = writingOf(patches).written.map((write, index) => ({ ...write, loc: contexts(index).at }));
  refuseIfAny([...(await ruleIssuesOf(target, records, patches)), ...(await definitionIssues(target, writes))]);
  refuseRepeatedValues(
    target,
    patches.map(({ changes }) => changes),
  );
  await ensureIndexes(target);
  const ready = { ...batch, patches: await protectPatches(target, patches), kept, at };
  // The first encryption of the organization makes the key.
  apiRecord = await apiRecordOf(target);
  const references = batch.report.references.map(({ reference }) => reference);
  return {
    target,
    write: {
      object,
      operation: "update",
      records: ready.patches.map(({ id, changes }) => ({ id, changes })),
      at,
      seen: [...seen],
      references,
    },
    writing: writingOf(ready.patches),
    at: locOf,
    store: async (session) => {
      const done = await changeRecords(target, ready, session);
      return () => followChange(target, ready, done);
    },
  };
};

/** Changes records that sync triggers follow, or for one. See `RecordWriter.update`. */
export const updateHooked = async (
  target: Target,
  scoped: ScopedHooks,
  items: readonly unknown[],
  patchesOf: PatchesOf,
): Promise<Written> => {
  const { tenant } = target;
  const sent = { items, patchesOf };
  try {
    const outcome = await carryOut(tenant, scoped, (scope) => check(target, scope, sent), transactionOf(target));
    return await answerOf(target, outcome);
  } catch (error) {
    throw toDuplicateValue(target, error, items.length);
  }
};
