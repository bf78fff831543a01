import type { Document, UpdateFilter } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { PRESENCE_COLLECTION, type Tenant } from "#shared/tenant/tenant";
import { type Beat, DEVICE_MS } from "./rules.ts";

/**
 * One document a person, in an internal collection: heartbeats are far too many to count as writes that queries depend
 * on.
 */
export interface PresenceDocument {
  /** The user's id. */
  _id: string;
  /** The last heartbeat of any device. */
  last_active_at: Date;
  /** Session id → its last heartbeat. What has been silent for a day is swept out by the next heartbeat. */
  devices: Record<string, Beat>;
}

const SWEPT_AFTER_MS = 24 * 60 * 60_000;

/**
 * `$max` compares documents field by field, `at` first: whatever the order in which heartbeats are written, and however
 * often, the youngest stays. Of two in the same millisecond it is the later in the alphabet, always the same one.
 */
export const beatUpdate = (sessionId: string, { at, status }: Beat): UpdateFilter<Document> => ({
  $max: { [`devices.${sessionId}`]: { at, status }, last_active_at: at },
});

const presences = (tenant: Tenant) => tenant.collection<PresenceDocument>(PRESENCE_COLLECTION);

const sweep = async (tenant: Tenant, { _id, devices }: PresenceDocument, at: Date): Promise<void> => {
  const before = new Date(at.getTime() - SWEPT_AFTER_MS);
  const silent = Object.keys(devices).filter((id) => devices[id] !== undefined && devices[id].at < before);
  if (silent.length === 0) return;
  const paths = silent.map((id) => `devices.${id}`);
  // Only if all of them are still silent; else the next heartbeat tries again.
  const still = Object.fromEntries(paths.map((path) => [`${path}.at`, { $lt: before }]));
  await presences(tenant).updateOne({ _id, ...still }, { $unset: Object.fromEntries(paths.map((path) => [path, ""])) });
};

/** See `reportStatus` in presence.ts. */
export const takeBeat = async (tenant: Tenant, user: string, { at, status }: Beat) => {
  const { id, session_id } = tenant.caller;
  if (user !== id) throw new Fault("forbidden", { message: "A device speaks only for the user of its token." });
  const stored = await presences(tenant).findOneAndUpdate({ _id: id }, beatUpdate(session_id, { at, status }), {
    upsert: true,
    returnDocument: "after",
  });
  if (stored !== null) await sweep(tenant, stored, at);
  const beat = stored?.devices[session_id] ?? { at, status };
  return { user, status: beat.status, counts_until: new Date(beat.at.getTime() + DEVICE_MS).toISOString() };
};
