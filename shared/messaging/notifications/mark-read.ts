import type { Document, Filter } from "mongodb";
import type { MarkReadRequest } from "#contracts/notification-bodies";
import { now } from "#shared/foundation/clock";
import type { Tenant } from "#shared/tenant/tenant";
import { callerReference } from "../capture.ts";

type Stored = Document & { _id: string };

/** `record_id` is a field of notifications. Other keys are those of `data`. */
const matching = (filter: Readonly<Record<string, unknown>>): Filter<Stored> =>
  Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key === "record_id" ? key : `data.${key}`, { $eq: value }]),
  );

/** Marks notifications of the caller as read. */
export const markRead = async (
  tenant: Tenant,
  request: MarkReadRequest,
): Promise<{ message: string; updated: number }> => {
  const chosen = "ids" in request ? { _id: { $in: request.ids } } : { $or: request.filters.map(matching) };
  const at = now();
  const change = { read: true, read_date: at, modified_date: at, modified_by: callerReference(tenant) };
  const { modifiedCount: updated } = await tenant
    .collection<Stored>("notification")
    .updateMany({ ...chosen, "user.id": tenant.caller.id, read: { $ne: true } }, { $set: change });
  return { message: updated === 1 ? "1 notification is read now." : `${updated} notifications are read now.`, updated };
};
