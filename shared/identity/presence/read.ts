import type { Document } from "mongodb";
import { availability } from "#contracts/status-bodies";
import { type Access, seesNamesOf } from "#shared/data/access/access";
import { now } from "#shared/foundation/clock";
import { isTimeZone } from "#shared/foundation/time-zone";
import { type Batches, PRESENCE_COLLECTION, SESSION_COLLECTION, type Tenant } from "#shared/tenant/tenant";
import type { PresenceDocument } from "./beat.ts";
import { type Availability, isAlive, presenceOf } from "./rules.ts";

interface StoredUser extends Document {
  readonly _id: string;
  readonly name?: string;
  readonly availability?: unknown;
  readonly time_zone?: string | null;
}

/** What of a colleague's record the caller may read. */
export type Sight = (field: "name" | "availability") => boolean;

export const sightOf =
  (access: Access): Sight =>
  (field) =>
    access.fieldReadable("user", field) && (field !== "name" || seesNamesOf(access, "user"));

/** Batch size: nearly all reads need one round trip. */
const AT_ONCE = 100_000;

const all = async <T extends Document>(batches: Batches<T>): Promise<T[]> => {
  const found: T[] = [];
  for (let batch = await batches.next(); batch !== null; batch = await batches.next()) found.push(...batch);
  return found;
};

/** Invalid settings are ignored, because an import may have written anything. */
const settingsOf = (stored: unknown): Availability => {
  if (typeof stored !== "object" || stored === null) return {};
  const whole = availability.safeParse(stored);
  if (whole.success) return whole.data;
  const wrong = new Set(whole.error.issues.map(({ path }) => path[0]));
  const understood = Object.entries(stored).filter(([name]) => !wrong.has(name));
  return availability.parse(Object.fromEntries(understood));
};

const sessionsOf = async (tenant: Tenant, documents: Iterable<PresenceDocument>, at: Date): Promise<Set<string>> => {
  const alive: string[] = [];
  for (const { devices } of documents) {
    for (const [id, beat] of Object.entries(devices)) if (isAlive(beat, at)) alive.push(id);
  }
  if (alive.length === 0) return new Set();
  const admitted = await all(
    tenant.read<{ _id: string }>(
      SESSION_COLLECTION,
      [{ $match: { _id: { $in: alive }, expires_at: { $gt: at } } }, { $project: { _id: 1 } }],
      { batchSize: AT_ONCE },
    ),
  );
  return new Set(admitted.map(({ _id }) => _id));
};

const usersOf = (tenant: Tenant, ids: Document): Promise<StoredUser[]> =>
  all(
    tenant.read<StoredUser>(
      "user",
      [
        { $match: { $and: [ids, { is_active: true }] } },
        { $sort: { _id: 1 } },
        { $project: { name: 1, availability: 1, time_zone: 1 } },
      ],
      { batchSize: AT_ONCE },
    ),
  );

/**
 * The statuses of the active users whose ids match, ordered by id. They are computed at reading, so that silence and an
 * ended session need no write. The sessions are read last, so that a session that ended before the request never
 * counts.
 */
export const readStatuses = async (tenant: Tenant, ids: Document, sight: Sight) => {
  const [users, documents] = await Promise.all([
    usersOf(tenant, ids),
    all(tenant.read<PresenceDocument & Document>(PRESENCE_COLLECTION, [{ $match: ids }], { batchSize: AT_ONCE })),
  ]);
  const at = now();
  const admitted = await sessionsOf(tenant, documents, at);
  const byUser = new Map(documents.map((document) => [document._id, document]));
  const [seesName, seesAvailability] = [sight("name"), sight("availability")];
  return users.map((user) => {
    const stored = byUser.get(user._id);
    const settings = settingsOf(user.availability);
    const beats = Object.entries(stored?.devices ?? {}).flatMap(([id, beat]) => (admitted.has(id) ? [beat] : []));
    const { devices, ...presence } = presenceOf(
      settings,
      beats,
      at,
      isTimeZone(user.time_zone) ? user.time_zone : "UTC",
    );
    return {
      user_id: user._id,
      name: seesName ? (user.name ?? null) : null,
      ...presence,
      last_active_at: stored?.last_active_at.toISOString() ?? null,
      devices: devices.map((beat) => ({ status: beat.status, last_active_at: beat.at.toISOString() })),
      availability: seesAvailability ? settings : null,
    };
  });
};

export type UserStatus = Awaited<ReturnType<typeof readStatuses>>[number];
