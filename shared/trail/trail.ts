/**
 * The audit trail of an organization, in its own database (`audit_entry`). Only the platform writes entries, in the transaction
 * of the change.
 */
export type { Change, RecordedChanges } from "./change.ts";
export { type Origin, originOf, TRAIL_OBJECT, type TrailEvent } from "./entry.ts";
export { type AnsweredRequest, type AskedRequest, noteSuperuserRequest } from "./superuser-request.ts";
export { announce, ensureTrailIndexes, writeTrail } from "./write.ts";
