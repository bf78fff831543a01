import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { apiRecordOf, type Written } from "../api-record.ts";
import { assignAutoNumbers } from "../auto-numbers.ts";
import { contextsOf, itemsOf, newBatch } from "../batch.ts";
import type { Changes } from "../check-record.ts";
import { ensureIndexes } from "../indexes.ts";
import { checkNewRecords, documentOf, insertRecords, type PlatformValues, protectNew } from "../insert-records.ts";
import { confirmNames } from "../renames/renames.ts";
import type { Target } from "../target.ts";
import { refuseRepeatedValues, toDuplicateValue } from "../unique-values.ts";
import { answerOf } from "./answer.ts";
import { checkRewritten } from "./before.ts";
import { type CheckedWrite, type Commit, carryOut, jsonOf, type Scope, type ScopedHooks } from "./scope.ts";

const check = async (
  plain: Target,
  { scope, hooks, buffer, isInner }: Scope,
  data: unknown,
  platform: PlatformValues | undefined,
): Promise<CheckedWrite> => {
  const target: Target = isInner ? { ...plain, createdToo: () => buffer.createdNames() } : plain;
  const items = itemsOf(data);
  const batch = await newBatch(target, "create", items);
  const contexts = contextsOf(batch, Array.isArray(data));
  const ids = items.map(() => platform?.id ?? uuidv7());
  const at = now();
  const locOf = (id?: string) => (id === undefined ? ["body"] : contexts(ids.indexOf(id)).at);
  const idOf = (index: number): string => ids[index] ?? "";

  const runBefore = async (sent: readonly Changes[]): Promise<readonly Changes[]> => {
    let all = sent;
    const apiRecord = await apiRecordOf(target);
    for (const hook of hooks?.before ?? []) {
      const given = Object.fromEntries(
        all.map((changes, index) => {
          const id = idOf(index);
          return [id, jsonOf(apiRecord(documentOf(target, { id, changes }, at)))];
        }),
      );
      const maps = { target, operation: "create", new_map: given, old_map: {}, at: locOf } as const;
      const left = await hook.run(maps, scope);
      const changed = await checkRewritten(target, { hook, operation: "create", ids, given, left, contexts });
      all = all.map((changes, index) => ({ ...changes, ...changed[index] }));
    }
    return all;
  };

  const before = (hooks?.before.length ?? 0) > 0 ? runBefore : undefined;
  const all = await checkNewRecords(target, items, batch, contexts, { before, own: platform });
  refuseRepeatedValues(target, all);
  await ensureIndexes(target);
  const records = await protectNew(
    target,
    all.map((changes, index) => ({ id: idOf(index), changes })),
  );
  await assignAutoNumbers(
    target,
    records.map(({ changes }) => changes),
  );
  const documents = records.map((record) => documentOf(target, record, at));
  // Before the transaction, because it may need KMS, and after the first encryption, which makes the key.
  const apiRecord = await apiRecordOf(target);
  await platform?.prepare();
  const references = batch.report.references.map(({ reference }) => reference);
  return {
    target,
    write: { object: target.object, operation: "create", records: [...records], at, seen: [], references },
    writing: { operation: "create", written: documents.map((after) => ({ before: null, after })), apiRecord },
    at: locOf,
    store: async (session) => {
      await insertRecords(target, records, { batch, contexts, at }, session);
      return () => confirmNames(target.tenant, references);
    },
  };
};

/** Creates records that sync triggers follow, or for one. See `RecordWriter.create`. */
export const createHooked = async (
  target: Target,
  scoped: ScopedHooks,
  data: unknown,
  platform?: PlatformValues,
): Promise<Written> => {
  const { tenant } = target;
  const once: Commit = (prepare) => tenant.once.write(prepare, async (ids) => ids);
  try {
    return await answerOf(
      target,
      await carryOut(tenant, scoped, (scope) => check(target, scope, data, platform), once),
    );
  } catch (error) {
    throw toDuplicateValue(target, error, Array.isArray(data) ? data.length : 1);
  }
};
