import { messageLimits, type NotifyRequest } from "#contracts/messages";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { callerReference, captureMessages, type StoreMessages, type UserReference } from "./capture.ts";

type Notification = NotifyRequest[number];

interface Accepted {
  /** Requests. */
  readonly accepted: number;
  /** Of the notifications, one for each request and user. */
  readonly ids: readonly string[];
}

interface StoredUser {
  readonly _id: string;
  readonly name?: string;
  readonly role?: { readonly id?: string } | null;
}

/** The active users that the requests name, by themselves or by their role. */
const namedUsers = async (tenant: Tenant, requests: NotifyRequest): Promise<readonly StoredUser[]> => {
  const ids = [...new Set(requests.flatMap(({ user_id }) => user_id ?? []))];
  const roles = [...new Set(requests.flatMap(({ role_id }) => role_id ?? []))];
  if (ids.length === 0 && roles.length === 0) return [];
  return tenant
    .collection<StoredUser & { is_active: boolean }>("user")
    .find(
      { is_active: true, $or: [{ _id: { $in: ids } }, { "role.id": { $in: roles } }] },
      { projection: { name: 1, role: 1 }, limit: ids.length + messageLimits.notifiedUsers + 1 },
    )
    .toArray();
};

const referenceTo = ({ _id, name }: StoredUser): UserReference => ({ id: _id, schema: "user", name: name ?? "" });

const recipientsOf = (
  { user_id, role_id }: Notification,
  users: readonly StoredUser[],
  caller: UserReference,
): UserReference[] => {
  if (user_id === undefined && role_id === undefined) return [caller];
  return users
    .filter(({ _id, role }) => _id === user_id || (role_id !== undefined && role?.id === role_id))
    .map(referenceTo);
};

/**
 * Tells users of the organization something: records the notifications, which are kept until a vendor is configured.
 * `store`: stores them, in a transaction of their own by default. Raises `validation_failed`, and then tells nobody.
 */
export const notify = async (tenant: Tenant, requests: NotifyRequest, store?: StoreMessages): Promise<Accepted> => {
  const users = await namedUsers(tenant, requests);
  const caller = callerReference(tenant);
  const told = requests.map((request) => ({ request, recipients: recipientsOf(request, users, caller) }));
  const issues = told.flatMap(({ request: { user_id }, recipients }, index): Issue[] => {
    if (user_id === undefined || recipients.some(({ id }) => id === user_id)) return [];
    const msg = "There is no such active user in your organization.";
    return [{ loc: ["body", index, "user_id"], msg, type: "unknown_user", input: user_id }];
  });
  refuseIfAny(issues);
  const count = told.reduce((sum, { recipients }) => sum + recipients.length, 0);
  if (count > messageLimits.notifiedUsers) {
    const msg = `One call may make at most ${messageLimits.notifiedUsers} notifications.`;
    refuseIfAny([{ loc: ["body"], msg, type: "too_many_recipients" }]);
  }
  const messages = told.flatMap(({ request, recipients }) =>
    request.save ? recipients.map((user) => ({ owner: user, fields: fieldsOf(request, user) })) : [],
  );
  return { accepted: requests.length, ids: await captureMessages(tenant, "notification", messages, store) };
};

const fieldsOf = ({ title, body, type, data, record_id }: Notification, user: UserReference) => ({
  name: title,
  title,
  body,
  type,
  user,
  data,
  ...(typeof data.url === "string" && { url: data.url }),
  ...(record_id !== undefined && { record_id }),
  channel: "web",
  read: false,
});
