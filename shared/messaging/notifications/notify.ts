import { type NotifyRequest, notificationLimits } from "#contracts/notification-bodies";
import { ensureFirstIndexes } from "#shared/data/schema/schema";
import { nowMillis } from "#shared/foundation/clock";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { actorOf, type Tenant } from "#shared/tenant/tenant";
import { callerReference, type StoreMessages } from "../capture.ts";
import { writeKept } from "../kept.ts";
import { type NewNotifications, newNotifications, type Telling } from "./new-notifications.ts";
import { activeUsers, namedBy, type Recipient } from "./users.ts";

type Request = NotifyRequest[number];

interface Accepted {
  /** Requests. */
  readonly accepted: number;
  /** Of the notifications, one for each request and user. */
  readonly ids: string[];
}

/** The caller, and the active users whom the requests name, by themselves or by their role. */
const usersOf = (tenant: Tenant, requests: NotifyRequest): Promise<Recipient[]> => {
  const ids = [...new Set([tenant.caller.id, ...requests.flatMap(({ user_id }) => user_id ?? [])])];
  const roles = [...new Set(requests.flatMap(({ role_id }) => role_id ?? []))];
  return activeUsers(tenant, namedBy(ids, roles), ids.length + notificationLimits.recipients + 1);
};

const recipientsOf = ({ user_id, role_id }: Request, users: readonly Recipient[], caller: string): Recipient[] => {
  if (user_id === undefined && role_id === undefined) return users.filter(({ _id }) => _id === caller);
  return users.filter(({ _id, role }) => _id === user_id || (role_id !== undefined && role?.id === role_id));
};

/** The roles that exist of those that the requests name. */
const rolesOf = async ({ collection }: Tenant, requests: NotifyRequest): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(requests.flatMap(({ role_id }) => role_id ?? []))];
  if (ids.length === 0) return new Set();
  const found = collection<{ _id: string }>("role").find({ _id: { $in: ids } }, { projection: { _id: 1 } });
  return new Set((await found.toArray()).map(({ _id }) => _id));
};

const YEAR_MS = 366 * 24 * 60 * 60_000;

const issuesOf = (
  { user_id, role_id, send_at }: Request,
  { recipients, roles }: { readonly recipients: readonly Recipient[]; readonly roles: ReadonlySet<string> },
  index: number,
): Issue[] => {
  const issues: Issue[] = [];
  if (role_id !== undefined && !roles.has(role_id)) {
    const msg = "There is no such role in your organization.";
    issues.push({ loc: ["body", index, "role_id"], msg, type: "unknown_role", input: role_id });
  }
  if (user_id !== undefined && !recipients.some(({ _id }) => _id === user_id)) {
    const msg = "There is no such active user in your organization.";
    issues.push({ loc: ["body", index, "user_id"], msg, type: "unknown_user", input: user_id });
  }
  if (send_at !== undefined && send_at.getTime() > nowMillis() + YEAR_MS) {
    issues.push({ loc: ["body", index, "send_at"], msg: "Expected a time within a year.", type: "too_late" });
  }
  return issues;
};

const tellingOf = (tenant: Tenant, request: Request): Telling => {
  const { title, body, type, data, record_id, urgent, save, notify, push_to_mobile, send_at } = request;
  const url = typeof data.url === "string" ? { url: data.url } : {};
  const pushes = notify || push_to_mobile;
  return {
    content: { title, body, type, data, urgent, ...url, ...(record_id !== undefined && { record_id }) },
    channels: [...(save ? ["in_app" as const] : []), ...(pushes ? ["push" as const] : [])],
    platforms: [...(notify ? ["web" as const] : []), ...(push_to_mobile ? (["ios", "android"] as const) : [])],
    digest: "none",
    by: callerReference(tenant),
    save,
    ...(send_at !== undefined && { later: { send_at, actor: actorOf(tenant) } }),
  };
};

/** The records and messages of the requests. Raises `validation_failed`. */
const prepared = async (tenant: Tenant, requests: NotifyRequest): Promise<NewNotifications> => {
  const [users, roles] = await Promise.all([
    usersOf(tenant, requests),
    rolesOf(tenant, requests),
    ensureFirstIndexes(tenant, "notification"),
  ]);
  const told = requests.map((request) => ({ request, recipients: recipientsOf(request, users, tenant.caller.id) }));
  refuseIfAny(told.flatMap(({ request, recipients }, index) => issuesOf(request, { recipients, roles }, index)));
  const count = told.reduce((sum, { recipients }) => sum + recipients.length, 0);
  if (count > notificationLimits.recipients) {
    const msg = `One call may make at most ${notificationLimits.recipients} notifications.`;
    refuseIfAny([{ loc: ["body"], msg, type: "too_many_recipients" }]);
  }
  const made = told.map(({ request, recipients }) => newNotifications(tenant, tellingOf(tenant, request), recipients));
  return { records: made.flatMap(({ records }) => records), messages: made.flatMap(({ messages }) => messages) };
};

/**
 * Tells users of the organization something. `store`: stores it, in the one transaction of the request by default.
 * Raises `validation_failed`, and then tells nobody.
 */
export const notify = async (tenant: Tenant, requests: NotifyRequest, store?: StoreMessages): Promise<Accepted> => {
  const answer = (ids: readonly string[]): Accepted => ({ accepted: requests.length, ids: [...ids] });
  if (store !== undefined) {
    const { records, messages } = await prepared(tenant, requests);
    if (records.length + messages.length > 0) await store("notification", records, messages);
    return answer(records.map(({ _id }) => _id));
  }
  return tenant.once.write(
    async () => {
      const { records, messages } = await prepared(tenant, requests);
      const ids = records.map(({ _id }) => _id);
      return async (session) => {
        await writeKept(tenant, [{ object: "notification", records, entries: messages }], session);
        return { ids, value: answer(ids) };
      };
    },
    async (ids) => answer(ids),
  );
};
