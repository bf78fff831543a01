import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { SettingRequests } from "#contracts/notification-bodies";
import { notifySetting } from "#contracts/notification-messages";
import { accessOf, requireAccess } from "#shared/data/access/access";
import { isNotReadable, records } from "#shared/data/records/records";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { addToOutbox, messageFor, type Tenant } from "#shared/tenant/tenant";
import { callerReference } from "../capture.ts";

type StoredSetting = Document & { _id: string; name?: string; api_name?: string; object?: string | null };

interface Accepted {
  readonly accepted: number;
  /** Of the firings. */
  readonly ids: string[];
}

/** The active settings that requests name, in their order; undefined for an unknown one. */
const settingsOf = async (
  { collection }: Tenant,
  requests: SettingRequests,
): Promise<readonly (StoredSetting | undefined)[]> => {
  const ids = requests.flatMap(({ id }) => id ?? []);
  const names = requests.flatMap(({ name }) => name ?? []);
  const found = await collection<StoredSetting>("notification_setting")
    .find(
      { active: { $ne: false }, $or: [{ _id: { $in: ids } }, { api_name: { $in: names } }, { name: { $in: names } }] },
      { projection: { name: 1, api_name: 1, object: 1 }, sort: { _id: 1 } },
    )
    .toArray();
  // An `api_name` is unique, so that it goes before a name that is the same.
  return requests.map(({ id, name }) =>
    id !== undefined
      ? found.find(({ _id }) => _id === id)
      : (found.find(({ api_name }) => api_name === name) ?? found.find((one) => one.name === name)),
  );
};

const unknownSetting = ({ id, name }: SettingRequests[number], index: number): Issue => ({
  loc: ["body", index, id === undefined ? "name" : "id"],
  msg: "There is no such active notification setting in your organization.",
  type: "unknown_setting",
  input: id ?? name,
});

const isReadable = async (tenant: Tenant, object: string, id: string): Promise<boolean> => {
  try {
    await records(tenant).get(object, id);
    return true;
  } catch (error) {
    if (isNotReadable(error)) return false;
    throw error;
  }
};

/** Records that the caller may not read: the condition of a setting would tell something about them. */
const unreadableRecords = async (
  tenant: Tenant,
  requests: SettingRequests,
  settings: readonly (StoredSetting | undefined)[],
): Promise<Issue[]> => {
  const known = new Map<string, boolean>();
  const issues: Issue[] = [];
  for (const [index, { record_id }] of requests.entries()) {
    const object = settings[index]?.object;
    if (record_id === undefined || !object) continue;
    const key = `${object} ${record_id}`;
    const may = known.get(key) ?? (await isReadable(tenant, object, record_id));
    known.set(key, may);
    if (may) continue;
    const msg = "There is no such record that you may read.";
    issues.push({ loc: ["body", index, "record_id"], msg, type: "unknown_record", input: record_id });
  }
  return issues;
};

/**
 * Lets settings that the caller may read tell their recipients. Raises `forbidden` and `validation_failed`, and then tells
 * nobody.
 */
export const fireSettings = (tenant: Tenant, requests: SettingRequests): Promise<Accepted> =>
  tenant.once.write(
    async () => {
      requireAccess(await accessOf(tenant), "notification_setting", "read");
      const settings = await settingsOf(tenant, requests);
      const unknown = requests.flatMap((one, index) =>
        settings[index] === undefined ? [unknownSetting(one, index)] : [],
      );
      refuseIfAny([...unknown, ...(await unreadableRecords(tenant, requests, settings))]);
      const by = callerReference(tenant);
      const firings = requests.map(({ data, record_id }, index) => ({
        setting: settings[index]?._id ?? "",
        firing: { id: uuidv7(), data, ...(record_id !== undefined && { record_id }) },
      }));
      const ids = firings.map(({ firing }) => firing.id);
      const messages = [...Map.groupBy(firings, ({ setting }) => setting)].map(([setting_id, some]) =>
        messageFor(notifySetting, { setting_id, by, firings: some.map(({ firing }) => firing) }),
      );
      return async (session) => {
        await addToOutbox(tenant, session, messages);
        return { ids, value: { accepted: requests.length, ids } };
      };
    },
    async (ids) => ({ accepted: requests.length, ids: [...ids] }),
  );
