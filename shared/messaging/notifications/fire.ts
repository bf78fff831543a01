import { channels as allChannels, type Channel } from "#contracts/notification-bodies";
import { type NotificationContent, type NotifySetting, notifySetting } from "#contracts/notification-messages";
import { ensureFirstIndexes } from "#shared/data/schema/schema";
import { elapsedMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { addToOutbox, messageFor, type Once, type TenantDatabase } from "#shared/tenant/tenant";
import { type Kept, writeKept } from "../kept.ts";
import type { Digest } from "./decide.ts";
import { newNotifications, type Telling } from "./new-notifications.ts";
import { recipientsAfter } from "./recipients.ts";
import { conditionHolds, type FiredData, recordSeenBy } from "./sight.ts";
import { type StoredTemplate, type Texts, textsFor } from "./texts.ts";
import type { Recipient } from "./users.ts";

type Firing = NotifySetting["firings"][number];
type Values = Readonly<Record<string, unknown>>;

/** A `notification_setting` record, as far as firing needs it. Its values were checked when it was saved. */
interface StoredSetting {
  _id: string;
  name?: string;
  active?: boolean;
  object?: string;
  template?: { id: string } | null;
  channels?: string[];
  recipients?: unknown;
  condition?: string | null;
  digest?: string;
  urgent?: boolean;
}

interface FiringFacts {
  readonly database: TenantDatabase;
  /** Of the message. */
  readonly id: string;
  readonly once: Once;
}

/** Recipients of one message. The others are left to a further message. */
const AT_ONCE = 100;
/** After it one message begins no further firing and no further text. The rest is left to a further message. */
const MOST_MILLISECONDS = 10_000;

const channelsOf = ({ channels }: StoredSetting): Channel[] => {
  const named = allChannels.filter((channel) => channels?.includes(channel) === true);
  return named.length > 0 ? named : ["in_app"];
};

const digestOf = ({ digest }: StoredSetting): Digest => (digest === "hourly" || digest === "daily" ? digest : "none");

const settingOf = async ({ collection }: TenantDatabase, id: string): Promise<StoredSetting | null> => {
  const setting = await collection<StoredSetting>("notification_setting").findOne({ _id: id });
  return setting === null || setting.active === false ? null : setting;
};

const templateOf = ({ collection }: TenantDatabase, { template }: StoredSetting): Promise<StoredTemplate | null> =>
  template?.id === undefined
    ? Promise.resolve(null)
    : collection<StoredTemplate>("template").findOne({ _id: template.id, active: { $ne: false } });

/** The record that a firing is about, as it is stored: for the condition and the recipients, never for the texts. */
const recordOf = async ({ collection }: TenantDatabase, { object }: StoredSetting, firing: Firing) => {
  const { record, old, record_id } = firing;
  if (record !== undefined || old !== undefined) return record ?? old ?? null;
  if (object === undefined || record_id === undefined) return null;
  const stored = await collection<Values & { _id: string }>(object).findOne({ _id: record_id });
  return stored === null ? null : (JSON.parse(JSON.stringify(stored)) as Values);
};

interface Round {
  readonly kept: Kept[];
  /** Where a further message goes on; undefined at the end. */
  readonly after: NotifySetting["after"];
}

interface Told {
  readonly kept: Kept[];
  /** The last one who was told, or is not to be told. */
  readonly last: Recipient | undefined;
}

/** Recipients of one text. */
interface Group {
  readonly texts: Texts;
  readonly users: Recipient[];
}

/** The records and messages of one firing for some recipients, in groups that read the same. Stops when time is over. */
const tell = async (
  { database, id: message_id }: FiringFacts,
  setting: StoredSetting,
  template: StoredTemplate | null,
  { firing, by, isOver }: { readonly firing: Firing; readonly by: NotifySetting["by"]; readonly isOver: () => boolean },
  users: readonly Recipient[],
): Promise<Told> => {
  const groups = new Map<string, Group>();
  let last: Recipient | undefined;
  for (const user of users) {
    // A template may take seconds for each text. The first one is made in any case.
    if (groups.size > 0 && isOver()) break;
    const seen = await recordSeenBy(database, user, { object: setting.object, firing, message_id });
    last = user;
    if (seen === null) continue;
    const data: FiredData = { ...firing.data, ...seen };
    const key = JSON.stringify(data);
    const group = groups.get(key) ?? {
      texts: await textsFor(setting.name ?? "Notification", template, data),
      users: [],
    };
    group.users.push(user);
    groups.set(key, group);
  }
  const kept: Kept[] = [];
  for (const { texts, users: some } of groups.values()) {
    const url = typeof firing.data.url === "string" ? { url: firing.data.url } : {};
    const record_id = firing.record_id === undefined ? {} : { record_id: firing.record_id };
    const content: NotificationContent = {
      ...texts.content,
      ...url,
      ...record_id,
      type: (setting.name ?? "notification").slice(0, 60),
      data: firing.data,
      urgent: setting.urgent === true,
      setting: { id: setting._id, name: setting.name ?? "" },
    };
    const telling: Telling = {
      content,
      channels: channelsOf(setting),
      platforms: ["web", "ios", "android"],
      digest: digestOf(setting),
      by,
      save: true,
      key: firing.id,
      problem: texts.problem,
    };
    const { records, messages } = newNotifications(database, telling, some);
    kept.push({ object: "notification", records, entries: messages });
  }
  return { kept, last };
};

const nextRound = async (payload: NotifySetting, facts: FiringFacts): Promise<Round> => {
  const { database } = facts;
  const setting = await settingOf(database, payload.setting_id);
  if (setting === null) {
    log.info({ organization: database.organization_id, setting: payload.setting_id }, "a fired setting is gone");
    return { kept: [], after: undefined };
  }
  await ensureFirstIndexes(database, "notification");
  const template = await templateOf(database, setting);
  const start = elapsedMillis();
  const isOver = (): boolean => elapsedMillis() - start > MOST_MILLISECONDS;
  const kept: Kept[] = [];
  let room = AT_ONCE;
  const first = payload.after?.firing ?? 0;
  for (let index = first; index < payload.firings.length; index += 1) {
    const firing = payload.firings[index];
    if (firing === undefined) break;
    const from = index === first ? (payload.after?.user ?? "") : "";
    if (room <= 0 || isOver()) return { kept, after: { firing: index, user: from } };
    const record = await recordOf(database, setting, firing);
    if (from === "" && !(await conditionHolds(setting.condition, record, firing))) continue;
    const users = await recipientsAfter(database, setting.recipients, record, { after: from, limit: room + 1 });
    const some = users.slice(0, room);
    const told = await tell(facts, setting, template, { firing, by: payload.by, isOver }, some);
    kept.push(...told.kept);
    room -= some.length;
    const last = told.last?._id;
    if (last !== undefined && last !== users.at(-1)?._id) return { kept, after: { firing: index, user: last } };
  }
  return { kept, after: undefined };
};

/**
 * Tells the recipients of a setting, a hundred at a time: the rest is left to a further message, which is added in the
 * same transaction, so that everybody is told once. Raises `dependency_unavailable`.
 */
export const fireSetting = (payload: NotifySetting, facts: FiringFacts): Promise<void> =>
  facts.once.write(
    async () => {
      const { kept, after } = await nextRound(payload, facts);
      return async (session) => {
        await writeKept(facts.database, kept, session);
        if (after !== undefined) {
          await addToOutbox(facts.database, session, [messageFor(notifySetting, { ...payload, after })]);
        }
        return { ids: [], value: undefined };
      };
    },
    async () => undefined,
  );
