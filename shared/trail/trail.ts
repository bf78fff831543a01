/**
 * The audit trail of an organization, in its own database (`audit_entry`). Only the platform writes entries, in the
 * transaction of the change.
 */
export {
  type Change,
  type Origin,
  originOf,
  type RecordedChanges,
  TRAIL_OBJECT,
  type TrailAction,
  type TrailEvent,
} from "./entry.ts";
export { type HistoryPage, readHistory } from "./history.ts";
export { type AuditedAnswer, type AuditedRequest, auditSuperuserRequest } from "./superuser-request.ts";
export { ensureTrailIndexes, writeEntryAhead, writeTrail } from "./write.ts";
