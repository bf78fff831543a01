import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { type AuditType, base } from "#shared/tenant/tenant";
import { type Device, storedDevice } from "./sessions/device.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Long enough to look into last year's. */
const KEPT_MS = 400 * DAY_MS;

/** Strangers can cause as many of these as they like, and nobody can read them but operators. */
const KEPT_OF_NOBODY_MS = 7 * DAY_MS;

export interface AuditEvent {
  readonly type: AuditType;
  /** Null for an email that nobody has: written all the same, since it takes time. */
  readonly user_id: string | null;
  /** Whose admins may read it. */
  readonly organizations: readonly string[];
  /** Where it was done: only that organization's admins may read from where. Need not be said of what concerns no other one. */
  readonly acted_in?: string;
  readonly session_id?: string;
  readonly client_id?: string;
  readonly device: Device;
}

/** Writes down what happened to somebody's access; within a transaction together with what it tells of. */
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

/** The organizations whose admins hear of what happens to a person outside of any one of them. */
export const organizationsOf = (identity: { readonly organizations: readonly { readonly id: string }[] }): string[] =>
  identity.organizations.map(({ id }) => id);
