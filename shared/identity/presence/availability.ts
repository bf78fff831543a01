import type { Document } from "mongodb";
import type * as z from "zod";
import type { setAvailability } from "#contracts/status";
import { actsAsAdministrator } from "#shared/data/access/access";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";

export type AvailabilityChange = z.output<typeof setAvailability.request.body>;

/** What `reset` takes back; the rest describes the person's phones and plans, which are no status. */
const automatic = { status: null, call_status: null, do_not_disturb: null };

/** One update of the user record, so that parallel changes of different settings all count. */
const updateOf = (change: Omit<AvailabilityChange, "user_id" | "reset">, reset: boolean): Document => {
  const settings = Object.entries({ ...(reset ? automatic : {}), ...change }).filter(
    ([, value]) => value !== undefined,
  );
  const pathsWith = (wanted: boolean) =>
    settings
      .filter(([, value]) => (value === null) === wanted)
      .map(([name, value]) => [`availability.${name}`, value ?? ""] as const);
  const removed = pathsWith(true);
  return {
    set: Object.fromEntries(pathsWith(false)),
    ...(removed.length > 0 ? { unset: Object.fromEntries(removed) } : {}),
    isEmpty: settings.length === 0,
  };
};

/**
 * Writes what a person set by hand into their user record, where it has its only place.
 * Raises `forbidden` if a plain user means somebody else, and `record_not_found`.
 */
export const changeAvailability = async (tenant: Tenant, request: AvailabilityChange): Promise<string> => {
  const { caller } = tenant;
  const { user_id: id = caller.id, reset = false, ...change } = request;
  if (id !== caller.id && !actsAsAdministrator(caller)) {
    throw new Fault("forbidden", { message: "Only an administrator may set somebody else's availability." });
  }
  const { set, unset, isEmpty } = updateOf(change, reset);
  if (isEmpty) return id;
  const by = { id: caller.id, schema: "user", name: caller.name };
  const { matchedCount } = await tenant
    .collection<Document & { _id: string }>("user")
    .updateOne(
      { _id: id, is_active: true },
      { $set: { ...set, modified_date: now(), modified_by: by }, ...(unset ? { $unset: unset } : {}) },
    );
  if (matchedCount === 0) throw new Fault("record_not_found");
  return id;
};
