import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { LONGEST_NAME, newRecord, PLATFORM, type Tenant } from "#shared/tenant/tenant";

/** The object whose records are the organization's audit trail, and their collection. */
export const TRAIL_OBJECT = "audit_entry";

export type TrailAction =
  | "created"
  | "updated"
  | "deleted"
  | "billing_changed"
  | "superuser_granted"
  | "superuser_revoked"
  | "superuser_entered"
  | "superuser_request"
  | "client_registered"
  | "client_adopted"
  | "client_deleted"
  | "domain_added"
  | "domain_verified"
  | "domain_lost"
  | "domain_removed"
  | "sandbox_created"
  | "sandbox_updated"
  | "sandbox_refreshed"
  | "sandbox_deleted"
  | "sandbox_users_added"
  | "sandbox_users_removed"
  | "sandbox_app_pushed";

export interface Actor {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Who did something, and in which session and request. */
export interface Origin {
  /** Null for an operator's function. */
  readonly by: Actor | null;
  readonly client_id?: string | null;
  readonly session_id?: string | null;
  readonly request_id?: string | null;
  readonly as_superuser?: boolean;
  /** Days until the entry is deleted. Absent: never. */
  readonly retentionDays?: number | undefined;
}

/**
 * The values of a field before and after. `hidden`: the value is secret, or not every reader of the trail may read it.
 * `cut`: the value is too large to be stored twice.
 */
export type Change =
  | { readonly from: unknown; readonly to: unknown }
  | { readonly hidden: true }
  | { readonly cut: true };

export type RecordedChanges = Readonly<Record<string, Change>>;

/** What happened. */
export interface TrailEvent {
  readonly action: TrailAction;
  readonly object?: string;
  readonly record_id?: string;
  /** The name of the record. */
  readonly called?: string;
  readonly changes?: RecordedChanges;
  /** Further facts, besides the changes of one record. */
  readonly details?: Document;
}

/** A stored record of `audit_entry`. A field without a value is absent. */
export type TrailEntry = Document & { _id: string; id: string };

const nameOf = ({ action, object, called }: TrailEvent): string => {
  const what = object === undefined ? action : `${object} ${action}`;
  return (called === undefined ? what : `${what}: ${called}`).slice(0, LONGEST_NAME);
};

export const originOf = ({ caller, request_id, state }: Pick<Tenant, "caller" | "request_id" | "state">): Origin => ({
  by: { id: caller.id, name: caller.name, email: caller.email },
  client_id: caller.client_id,
  session_id: caller.session_id,
  request_id,
  as_superuser: caller.is_superuser,
  retentionDays: state.audit_retention_days,
});

const DAY_MS = 86_400_000;

export const entryOf = (origin: Origin, event: TrailEvent): TrailEntry => {
  const at = now();
  const { by, client_id, session_id, request_id, as_superuser = false, retentionDays } = origin;
  const { action, object, record_id, changes, details } = event;
  const fields = {
    name: nameOf(event),
    at,
    action,
    as_superuser,
    ...(by && { by: { id: by.id, schema: "user", name: by.name }, by_email: by.email }),
    ...(object && { object }),
    ...(record_id && { record_id }),
    ...(changes && { changes }),
    ...(details && { details }),
    ...(client_id && { client_id }),
    ...(session_id && { session_id }),
    ...(request_id && { request_id }),
    ...(retentionDays !== undefined && { expires_at: new Date(at.getTime() + retentionDays * DAY_MS) }),
  };
  return newRecord(uuidv7(), fields, { by: PLATFORM, at });
};
