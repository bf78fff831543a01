import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { SettingRequests } from "#contracts/notification-bodies";
import { notifySetting } from "#contracts/notification-messages";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { addToOutbox, messageFor, type Tenant } from "#shared/tenant/tenant";
import { callerReference } from "../capture.ts";

type StoredSetting = Document & { _id: string; name?: string; api_name?: string };

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
      { projection: { name: 1, api_name: 1 }, sort: { _id: 1 } },
    )
    .toArray();
  // An `api_name` is unique, so that it goes before a name that is the same.
  return requests.map(({ id, name }) =>
    id !== undefined
      ? found.find(({ _id }) => _id === id)
      : (found.find(({ api_name }) => api_name === name) ?? found.find((one) => one.name === name)),
  );
};

/** Lets settings tell their recipients. Raises `validation_failed`, and then tells nobody. */
export const fireSettings = (tenant: Tenant, requests: SettingRequests): Promise<Accepted> =>
  tenant.once.write(
    async () => {
      const settings = await settingsOf(tenant, requests);
      const issues = requests.flatMap(({ id, name }, index): Issue[] => {
        if (settings[index] !== undefined) return [];
        const msg = "There is no such active notification setting in your organization.";
        const loc = ["body", index, id === undefined ? "name" : "id"];
        return [{ loc, msg, type: "unknown_setting", input: id ?? name }];
      });
      refuseIfAny(issues);
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
