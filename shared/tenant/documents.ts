import type { Binary } from "mongodb";

/**
 * `refreshing` and `provisioning` are the gate of a sandbox: its data is being replaced or first copied, and requests
 * are refused for the moment. `deleting`: like an unknown organization. Only sandboxes have these three.
 */
export type StateStatus = "active" | "suspended" | "refreshing" | "provisioning" | "deleting";

/** Read by every request to an organization. One document in the tenant's database. */
export interface OrganizationState {
  _id: string;
  status: StateStatus;
  /**
   * Identifies this copy of the data (a UUIDv7): each refresh, restore or move gives another one. Absent if there was
   * none. The versions below compare only within one generation.
   */
  generation?: string;
  /** Goes up with every change of the `schemas` collection, in the same transaction. */
  schema_version: number;
  /** Goes up with every change of the `permission` and `role` collections, in the same transaction. */
  access_version: number;
  /**
   * A copy of `settings.require_second_factor` of the organization's record, written in the same transaction. Absent
   * means no.
   */
  second_factor_required?: boolean;
  /**
   * A copy of `settings.audit_retention_days` of the organization's record. Absent: audit entries are kept for ever.
   */
  audit_retention_days?: number;
  /** A copy of `settings.country` of the organization's record: ISO 3166-1 alpha-2, for telephone numbers. */
  country?: string;
  /**
   * Whether all records have `_readers`. Absent in organizations that are older than the field, until they are
   * migrated.
   */
  has_readers?: boolean;
  /** The objects whose field `name` is sensitive. Written with the schema, in the same transaction. Absent: none. */
  sensitive_names?: string[];
  /** Of a sandbox: whether its scheduled items run. Absent: they are paused. */
  enable_schedules?: boolean;
  /**
   * From this moment on nothing may be written, because the organization has not paid. Absent: it has. In a sandbox it
   * is always absent: its parent's counts (`ofParent`).
   */
  writes_end_at?: Date;
  /** Object → the fingerprint of the indexes of its collection. */
  indexed: Record<string, string>;
  /** Object → who builds its indexes. */
  index_builds?: Record<string, { id: string; until: Date }>;
  /** Collection → number of writes. Incremented after each commit, before the writer is answered. */
  collection_versions?: Record<string, number>;
}

/** The fields of a user record that decide what the user may do. The rest of the record is ordinary data. */
export interface UserRights {
  _id: string;
  email: string;
  name: string;
  is_active: boolean;
  /**
   * When the user was last activated again after a deactivation or a deletion. Sessions from before it stay ended.
   * Absent if that never happened. Only the platform writes it, and no answer shows it.
   */
  active_since?: Date;
  is_account_owner?: boolean;
  is_account_admin?: boolean;
  permissions?: ({ id: string } | string)[];
  role?: { id: string } | string | null;
  time_zone?: string | null;
}

/**
 * Whether a session or code began before the user was last activated again: it has ended, although the user is active.
 */
export const beganBeforeActivation = (
  { active_since }: Pick<UserRights, "active_since">,
  begun: Date | undefined,
): boolean => active_since !== undefined && (begun === undefined || begun.getTime() < active_since.getTime());

/**
 * The copy of a session that may act in this organization: the fields of the base database's session that each request
 * needs. It is stored beside the data, so that a request sends one command to one database. The session has ended here
 * when the document is gone or `expires_at` has passed.
 */
export interface SessionReplica {
  _id: string;
  user_id: string;
  /** The app that acts in it. */
  client_id?: string;
  /** As in the base database's session. */
  responsible?: string;
  is_superuser: boolean;
  /** As in the base database's session. Absent in replicas from before the field existed, which means no. */
  second_factor?: boolean;
  scope: string;
  /** When the session began. Absent in replicas from before the field existed. */
  created_date?: Date;
  expires_at: Date;
}

/** A request with an `Idempotency-Key`. `_id` is a hash of caller, route and key. */
export interface IdempotencyKey {
  _id: string;
  body_hash: string;
  /** The holder of the lease, and its end. */
  lease_id: string;
  lease_until: Date;
  /** Once it is done: the ids of the records that it wrote. */
  result: string[] | null;
  expires_at: Date;
}

/** What a keyed request wrote when keys were kept in the base database. Newer keys have only the ids. */
export interface RequestMark {
  _id: string;
  result: { _id: string }[];
  expires_at: Date;
}

/**
 * One of the documents that every transaction of a sandbox writes, if its `generation` is the one that the writer has
 * opened. Null while the fence is closed.
 */
export interface WriteFence {
  _id: string;
  generation: string | null;
  /** The writes that took this document. */
  writes: number;
  /** The generation that it was closed for last, and for which alone it is opened again. */
  next?: string;
}

/** A data key for encrypted fields, encrypted under the KMS key. */
export interface StoredDataKey {
  _id: string;
  key: Binary;
  created_date: Date;
}

/** A renamed record whose new name is not yet in all references to it. `_id` is `<object>/<record_id>`. */
export interface PendingRename {
  _id: string;
  object: string;
  record_id: string;
  /** As references store it. */
  name: string | null;
  /** Changes with each rename of the record. */
  version: string;
  renamed_at: Date;
  /** Goes up with each batch of references that is written. */
  batches?: number;
}

/**
 * A write of a sync trigger, in its stored form. It waits for the transaction of the write that runs the trigger.
 * `_id` is `<buffer>/<sequence>`.
 */
export interface BufferedWrite {
  _id: string;
  object: string;
  /** `keep`: whole records that the platform itself writes, such as messages. */
  operation: "create" | "update" | "delete" | "keep";
  /** In the order of the request. `changes` is null for deletes, and for `keep` the record. */
  records: { id: string; changes: Record<string, unknown> | null }[];
  at: Date;
  /** What was stored when the write was checked: SHA-256 of the documents. */
  seen: { id: string; hash: string }[];
  /** Of new values: their names are confirmed after the commit. */
  references: { id: string; schema: string; name: string | null }[];
  /** Messages that it adds to the outbox, as JSON. */
  messages: string;
  /** The ids of the writes that contain it, outermost first. If one of them fails, it is dropped. */
  writes: string[];
  expires_at: Date;
}

/**
 * The failures of a vendor in a row, by the account that is used. `_id` is `<object>/<credential id or platform>`.
 * While `open_until` lies ahead the vendor is not called.
 */
export interface VendorCircuit {
  _id: string;
  failures: number;
  last_failure: Date;
  open_until?: Date;
}

/** What the platform's account has sent for the organization on one day. `_id` is `<object>/<date>`. */
export interface VendorUsage {
  _id: string;
  messages: number;
  expires_at: Date;
}

export const STATE_COLLECTION = "organization_state";
export const SESSION_COLLECTION = "admitted_session";
export const PRESENCE_COLLECTION = "user_presence";
export const IDEMPOTENCY_COLLECTION = "idempotency_key";
export const REQUEST_COLLECTION = "request_mark";
export const SLOW_READS_COLLECTION = "slow_query";
export const DATA_KEY_COLLECTION = "field_data_key";
/** The executions of functions, triggers and automations that have not ended. */
export const EXECUTION_COLLECTION = "function_execution";
/** The places of an organization for executions at once. */
export const EXECUTION_SLOTS_COLLECTION = "function_slot";
export const RENAMES_COLLECTION = "pending_rename";
export const WRITE_FENCE_COLLECTION = "write_fence";
/** Requests for public automations with an `Idempotency-Key`. */
export const PUBLIC_REQUEST_COLLECTION = "public_request";
/** In the database of a production organization: `SandboxLink`. */
export const SANDBOX_LINK_COLLECTION = "sandbox_link";
/** These begin with an underscore, which no object's name does. */
export const LEDGER_COLLECTION = "_migration";
export const OUTBOX_COLLECTION = "_outbox";
export const BUFFERED_WRITE_COLLECTION = "_buffered_write";
export const VENDOR_CIRCUIT_COLLECTION = "_vendor_circuit";
export const VENDOR_USAGE_COLLECTION = "_vendor_usage";
/** What vendors have sent. */
export const WEBHOOK_COLLECTION = "_received_webhook";
/** The mails that are known, and mails by sender and hour. */
export const INBOUND_COLLECTION = "_inbound_mail";
/** The key of the addresses that answers go to. */
export const REPLY_KEY_COLLECTION = "_reply_key";
/** How many files the organization has, and how large they are together. */
export const FILE_USE_COLLECTION = "_file_use";
/** The devices of users that push notifications reach. */
export const DEVICE_COLLECTION = "_device";
/** Deliveries of notifications that wait for their moment. */
export const DIGEST_COLLECTION = "_digest";

/** Collections that exist beside the objects' own and that no record, query or pipeline may name. */
export const internalCollections: ReadonlySet<string> = new Set([
  STATE_COLLECTION,
  SESSION_COLLECTION,
  PRESENCE_COLLECTION,
  IDEMPOTENCY_COLLECTION,
  REQUEST_COLLECTION,
  SLOW_READS_COLLECTION,
  DATA_KEY_COLLECTION,
  EXECUTION_COLLECTION,
  EXECUTION_SLOTS_COLLECTION,
  RENAMES_COLLECTION,
  WRITE_FENCE_COLLECTION,
  SANDBOX_LINK_COLLECTION,
  LEDGER_COLLECTION,
  OUTBOX_COLLECTION,
  BUFFERED_WRITE_COLLECTION,
  VENDOR_CIRCUIT_COLLECTION,
  VENDOR_USAGE_COLLECTION,
  WEBHOOK_COLLECTION,
  INBOUND_COLLECTION,
  REPLY_KEY_COLLECTION,
  FILE_USE_COLLECTION,
  PUBLIC_REQUEST_COLLECTION,
  DEVICE_COLLECTION,
  DIGEST_COLLECTION,
  "record_counter",
]);

/** Collections that a refresh of a sandbox neither replaces nor drops. */
export const keptCollections: ReadonlySet<string> = new Set([
  STATE_COLLECTION,
  WRITE_FENCE_COLLECTION,
  SESSION_COLLECTION,
  SLOW_READS_COLLECTION,
  DATA_KEY_COLLECTION,
]);
