import { MAX_BATCH } from "#contracts/record";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { auditChanges } from "./audit.ts";
import { guardAuthority } from "./authority.ts";
import { isRuled, ruleIssues } from "./check-rules.ts";
import { notifyOwnersOfChanges } from "./owner-notices.ts";
import { collectionOf, ofIds, readForWrite } from "./stored-record.ts";
import { targetOf } from "./target.ts";
import { completeLists } from "./value-lists.ts";

/** See `RecordWriter.remove`. */
export const removeRecords = async (
  tenant: Tenant,
  object: string,
  ids: readonly string[],
  locOf: (index: number) => Issue["loc"],
): Promise<string[]> => {
  const target = await targetOf(tenant, object, "delete");
  const wanted = [...new Set(ids)];
  if (wanted.length === 0 || wanted.length > MAX_BATCH) {
    const msg = `Expected the ids of 1 to ${MAX_BATCH} records: ?ids=a&ids=b.`;
    throw new Fault("validation_failed", { issues: [{ loc: ["query", "ids"], msg, type: "batch_size" }] });
  }
  const removed = await tenant.transaction(async (session) => {
    const records = await readForWrite(target, wanted, () => "delete", session);
    if (isRuled(target, "delete")) {
      const writes = records.map((before) => ({ before, after: null, loc: locOf(ids.indexOf(before._id)) }));
      refuseIfAny(await ruleIssues(target, writes));
    }
    await guardAuthority(
      target,
      records.map((before) => ({ before, changes: null })),
      session,
    );
    await collectionOf(target).deleteMany(ofIds(wanted), { session });
    const written = records.map((before) => ({ before, after: null }));
    await auditChanges(target, written, session);
    await completeLists(target, written, session);
    return written;
  });
  await notifyOwnersOfChanges(target, removed);
  return wanted;
};
