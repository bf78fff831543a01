import type { Document, Filter } from "mongodb";
import type { ListedNotification } from "#contracts/notification-bodies";
import { isObject } from "#shared/foundation/is-object";
import { textOf } from "#shared/foundation/text-of";
import type { Tenant } from "#shared/tenant/tenant";

interface PageRequest {
  readonly unread?: boolean | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface Page {
  readonly notifications: ListedNotification[];
  readonly unread_count: number;
  readonly next_cursor?: string;
}

type Stored = Document & { _id: string };

/** Counting ends here. */
const MOST_COUNTED = 1_000;

/** What is in the list of a user: not what is to come, was not sent, or is not wanted. */
const listed = ({ caller }: Tenant): Filter<Stored> => ({
  "user.id": caller.id,
  channel: "web",
  status: { $nin: ["scheduled", "suppressed", "cancelled", "failed"] },
});

const timeOf = (value: unknown): string | null => (value instanceof Date ? value.toISOString() : null);

const shown = (stored: Stored): ListedNotification => ({
  id: stored._id,
  title: textOf(stored.title) ?? "",
  body: textOf(stored.body) ?? "",
  type: textOf(stored.type) ?? "",
  url: textOf(stored.url) ?? null,
  data: isObject(stored.data) ? { ...stored.data } : {},
  record_id: textOf(stored.record_id) ?? null,
  urgent: stored.urgent === true,
  read: stored.read === true,
  read_date: timeOf(stored.read_date),
  deliveries: Array.isArray(stored.deliveries) ? stored.deliveries : [],
  created_date: timeOf(stored.send_at) ?? timeOf(stored.created_date) ?? "",
});

/** The caller's notifications, newest first. */
export const listNotifications = async (tenant: Tenant, { unread, limit, cursor }: PageRequest): Promise<Page> => {
  const notifications = tenant.collection<Stored>("notification");
  const own = listed(tenant);
  const isUnread = { read: { $ne: true } };
  const page: Filter<Stored> = {
    ...own,
    ...(unread === true && isUnread),
    ...(unread === false && { read: true }),
    ...(cursor !== undefined && { _id: { $lt: cursor } }),
  };
  const [found, unread_count] = await Promise.all([
    notifications
      .find(page)
      .sort({ _id: -1 })
      .limit(limit + 1)
      .toArray(),
    notifications.countDocuments({ ...own, ...isUnread }, { limit: MOST_COUNTED }),
  ]);
  const some = found.slice(0, limit);
  const last = found.length > limit ? some.at(-1) : undefined;
  return { notifications: some.map(shown), unread_count, ...(last !== undefined && { next_cursor: last._id }) };
};
