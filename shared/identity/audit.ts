import type { ClientSession, Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type AuditEntry, type AuditType, base, type Caller } from "#shared/tenant/tenant";
import { type Device, storedDevice } from "./sessions/device.ts";

const DAY_MS = 24 * 60 * 60_000;

/** A year and a month. */
const KEPT_MS = 400 * DAY_MS;

/** For emails without an account: strangers can cause any number of them, and only operators can read them. */
const KEPT_OF_NOBODY_MS = 7 * DAY_MS;

export interface AuditEvent {
  readonly type: AuditType;
  /** Null for an email without an account. Its entry is written too, so that the answer takes the same time. */
  readonly user_id: string | null;
  /** Whose admins may read it. */
  readonly organizations: readonly string[];
  /**
   * Where it was done: only admins of this organization may read address and user agent. Optional if it is the only
   * one.
   */
  readonly acted_in?: string;
  readonly session_id?: string;
  readonly client_id?: string;
  readonly device: Device;
}

/** Writes an audit entry, in the transaction of the change if one is given. */
export const audit = async (event: AuditEvent, transaction?: ClientSession): Promise<void> => {
  const { audit: entries } = await base();
  const { type, user_id, organizations, acted_in, session_id = null, client_id = null, device } = event;
  const at = now();
  const kept = user_id === null ? KEPT_OF_NOBODY_MS : KEPT_MS;
  await entries.insertOne(
    {
      _id: uuidv7(),
      type,
      at,
      user_id,
      organizations: [...organizations],
      ...(acted_in && { acted_in }),
      session_id,
      client_id,
      ...storedDevice(device),
      expires_at: new Date(at.getTime() + kept),
    },
    transaction === undefined ? {} : { session: transaction },
  );
};

/** The organizations whose admins may read an event that happened outside of any organization. */
export const organizationsOf = (identity: { readonly organizations: readonly { readonly id: string }[] }): string[] =>
  identity.organizations.map(({ id }) => id);

export interface AuditQuery {
  readonly of: "me" | "organization";
  readonly limit: number;
  /** The id of the last entry of the page before. */
  readonly before?: string | undefined;
}

const answerOf = ({ _id, at, type, user_id, session_id, client_id, address, user_agent }: AuditEntry) => ({
  id: _id,
  at: at.toISOString(),
  type,
  user_id,
  session_id,
  client_id,
  address,
  user_agent,
});

/**
 * An entry about a person's account is shown to all of their organizations. Session, address and user agent are shown
 * only to the one in which it was done, so that the others do not learn where else a colleague works.
 */
const seenIn = (entry: AuditEntry, organizationId: string): AuditEntry => {
  const { acted_in, organizations } = entry;
  const isHere = acted_in === undefined ? organizations.length === 1 : acted_in === organizationId;
  return isHere ? entry : { ...entry, session_id: null, address: "", user_agent: "" };
};

/** Audit entries of the caller, or of everybody in the organization, newest first. Raises `forbidden`. */
export const readAudit = async (caller: Caller, { of, limit, before }: AuditQuery) => {
  if (of === "organization" && !caller.is_admin) {
    throw new Fault("forbidden", { message: "Only an administrator of the organization may see everybody's entries." });
  }
  const whose: Filter<AuditEntry> = of === "me" ? { user_id: caller.id } : { organizations: caller.organization_id };
  const { audit } = await base();
  const where = { ...whose, ...(before !== undefined && { _id: { $lt: before } }) };
  const found = await audit.find(where, { sort: { at: -1, _id: -1 }, limit: limit + 1 }).toArray();
  const page = found.slice(0, limit);
  const entries = of === "me" ? page : page.map((entry) => seenIn(entry, caller.organization_id));
  const last = found.length > limit ? entries.at(-1) : undefined;
  return { entries: entries.map(answerOf), ...(last === undefined ? {} : { next: last._id }) };
};
