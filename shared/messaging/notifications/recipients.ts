import { isObject } from "#shared/foundation/is-object";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { activeUsers, namedBy, type Recipient } from "./users.ts";

type Values = Readonly<Record<string, unknown>>;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** Ids of a reference, of an id, or of an array of them. */
const idsOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(idsOf);
  if (typeof value === "string") return [value];
  return isObject(value) && typeof value.id === "string" ? [value.id] : [];
};

/** Whom a setting tells about a record. `record` is null if it is about none. */
const wanted = (configured: unknown, record: Values | null) => {
  const recipients = isObject(configured) ? configured : {};
  const owner = recipients.owner_of_record === true ? idsOf(record?.owner) : [];
  const field = typeof recipients.field === "string" ? idsOf(record?.[recipients.field]) : [];
  return { ids: [...new Set([...textsOf(recipients.users), ...owner, ...field])], roles: textsOf(recipients.roles) };
};

/** The active users whom a setting tells, in the order of their ids, after the given one. */
export const recipientsAfter = async (
  database: Pick<TenantDatabase, "collection">,
  configured: unknown,
  record: Values | null,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Recipient[]> => {
  const { ids, roles } = wanted(configured, record);
  if (ids.length === 0 && roles.length === 0) return [];
  return activeUsers(database, { $and: [namedBy(ids, roles), { _id: { $gt: after } }] }, limit);
};
