import type { ClientSession } from "mongodb";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { auditChanges } from "./audit.ts";
import { guardAuthority } from "./authority.ts";
import { isRuled, ruleIssues } from "./check-rules.ts";
import { settleFiles } from "./files/files.ts";
import { scheduleItems } from "./scheduling/scheduling.ts";
import { collectionOf, ofIds, readForWrite, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";
import { completeLists } from "./value-lists.ts";

/** The path of a record in a request. */
export type LocOf = (id: string) => Issue["loc"];

/** Raises `validation_failed` for records that a rule does not let go. */
export const refuseByRules = async (target: Target, records: readonly StoredRecord[], locOf: LocOf): Promise<void> => {
  if (!isRuled(target, "delete")) return;
  const writes = records.map((before) => ({ before, after: null, loc: locOf(before._id) }));
  refuseIfAny(await ruleIssues(target, writes));
};

/** Deletes records in a transaction, with everything that belongs to it. */
export const deleteRecords = async (
  target: Target,
  ids: readonly string[],
  locOf: LocOf,
  session: ClientSession,
): Promise<{ readonly before: StoredRecord; readonly after: null }[]> => {
  const records = await readForWrite(target, ids, () => "delete", session);
  await refuseByRules(target, records, locOf);
  await guardAuthority(
    target,
    records.map((before) => ({ before, changes: null })),
    session,
  );
  await collectionOf(target).deleteMany(ofIds(ids), { session });
  const written = records.map((before) => ({ before, after: null }));
  await auditChanges(target, written, session);
  await completeLists(target, written, session);
  await scheduleItems(target, written, session);
  await settleFiles(target, written, session);
  return written;
};
