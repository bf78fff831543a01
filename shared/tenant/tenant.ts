/**
 * The only way to tenant data: `routeTenant` for requests, `openOrganization` for background work. Both answer one
 * organization's database.
 */
export { actingTenant } from "./acting.ts";
export { isAdministrator } from "./acting-alone.ts";
export { markBackgroundWork, type Visits, visitMarked } from "./background-work.ts";
export { BASE, type Base, base, baseIndexes, baseOutbox, createBaseIndexes, ensureBaseIndexes } from "./base.ts";
export type * from "./base-access-documents.ts";
export type * from "./base-documents.ts";
export type * from "./billing-documents.ts";
export { copyKeyOf, versionedCache } from "./cache.ts";
export { holdsScope } from "./caller.ts";
export type { Caller, Tenant, TenantDatabase } from "./database.ts";
export { actorOf, COMMAND_LINE_CLIENT_ID, deferredTenant } from "./deferred.ts";
export {
  BUFFERED_WRITE_COLLECTION,
  type BufferedWrite,
  beganBeforeActivation,
  DATA_KEY_COLLECTION,
  DEVICE_COLLECTION,
  DIGEST_COLLECTION,
  EXECUTION_COLLECTION,
  EXECUTION_SLOTS_COLLECTION,
  FILE_USE_COLLECTION,
  INBOUND_COLLECTION,
  internalCollections,
  keptCollections,
  LEDGER_COLLECTION,
  type OrganizationState,
  type PendingRename,
  PRESENCE_COLLECTION,
  PUBLIC_REQUEST_COLLECTION,
  RENAMES_COLLECTION,
  REPLY_KEY_COLLECTION,
  SANDBOX_LINK_COLLECTION,
  SESSION_COLLECTION,
  type SessionReplica,
  STATE_COLLECTION,
  type StoredDataKey,
  type UserRights,
  VENDOR_CIRCUIT_COLLECTION,
  VENDOR_USAGE_COLLECTION,
  type VendorCircuit,
  type VendorUsage,
  WEBHOOK_COLLECTION,
} from "./documents.ts";
export { isGated, isSameCopy, notRegisteredCopy, refuseReplacedCopy, sandboxRefreshing } from "./gate.ts";
export { type KeyLease, onceUnder, releaseLease, takeLease } from "./idempotency.ts";
export type * from "./migration-documents.ts";
export { LONGEST_NAME, type NewRecord, newRecord, PLATFORM, type RecordReference } from "./new-record.ts";
export { type Done, type Once, type Prepare, StaleWrite, untilFresh } from "./once.ts";
export {
  askForMigration,
  openOrganization,
  openPlacedOrganization,
  openWithState,
  type Placement,
  placementFields,
  readOrganization,
  reserveInCluster,
} from "./organizations.ts";
export { type Claimed, claimEntry, completeEntry, failEntry, postponeEntry, releaseEntry } from "./outbox/claim.ts";
export {
  messageFor,
  type NewEntry,
  type OutboxDatabase,
  type ScheduleChange,
} from "./outbox/entry.ts";
export { onceForEntry } from "./outbox/once.ts";
export { addToBaseOutbox, addToOutbox } from "./outbox/outbox.ts";
export { sweepOutbox } from "./outbox/sweep.ts";
export { ensureOwnIndexes } from "./own-indexes.ts";
export { isActiveInParent } from "./parent-user.ts";
export { requirePayment } from "./payment.ts";
export type * from "./platform-mail-documents.ts";
export { checkDependencies } from "./platform-status.ts";
export { countPublicAttempt, delayRefusal } from "./public-attempts.ts";
export type { Batches } from "./read-batches.ts";
export { READERS_FIELD, readerKey, readersExpression, readersOf } from "./readers.ts";
export { routeTenant } from "./router.ts";
export type * from "./sandbox-documents.ts";
export { giveSlotBack, takeSlot } from "./slots.ts";
export { exceededTimeLimit, slowReadLimits, withSlowReadSlot } from "./slow-reads.ts";
