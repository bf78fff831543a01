import { type TriggerEvent, triggerEvents } from "#contracts/runner";
import type { WriteOperation } from "#shared/data/records/writer/writer";
import { isObject } from "#shared/foundation/is-object";
import { type Tenant, type TenantDatabase, versionedCache } from "#shared/tenant/tenant";

/** A record trigger, without its code. */
export interface Trigger {
  readonly id: string;
  readonly name: string;
  readonly file_name: string;
  readonly object: string;
  readonly events: readonly TriggerEvent[];
  readonly mode: "sync" | "async";
}

/** An automation that records of an object start. */
interface StartedAutomation {
  readonly id: string;
  readonly events: readonly TriggerEvent[];
}

/** A notification setting that tells of changes of records. */
interface ChangeSetting {
  readonly id: string;
  readonly events: readonly TriggerEvent[];
}

/** What the writes of one object set off. */
export interface Installed {
  /** In the order in which they run. */
  readonly triggers: readonly Trigger[];
  readonly automations: readonly StartedAutomation[];
  readonly settings: readonly ChangeSetting[];
}

type ByObject = Readonly<Record<string, Installed>>;

interface StoredTrigger {
  _id: string;
  name?: string;
  file_name: string;
  object_api_name: string;
  events: string[];
  mode?: string;
  order?: number;
  active?: boolean;
}

interface StoredAutomation {
  _id: string;
  active?: boolean;
  nodes?: unknown;
}

const MEGABYTE = 1024 * 1024;

interface StoredSetting {
  _id: string;
  object?: string | null;
  events?: unknown;
}

/** By organization. Three numbers of a tenant's state are its version: all counters only go up. */
const installedCache = versionedCache<ByObject>({ mostBytes: 16 * MEGABYTE });

const codes = versionedCache<{ readonly code: string }>({
  mostBytes: 16 * MEGABYTE,
  bytesOf: ({ code }) => code.length * 2,
});

const versionOf = ({ state: { collection_versions: versions } }: Tenant): number =>
  (versions?.record_trigger ?? 0) + (versions?.automation ?? 0) + (versions?.notification_setting ?? 0);

const isEvent = (name: unknown): name is TriggerEvent => (triggerEvents as readonly unknown[]).includes(name);

const triggersOf = async ({ collection }: Tenant): Promise<Trigger[]> => {
  const projection = { name: 1, file_name: 1, object_api_name: 1, events: 1, mode: 1, order: 1 };
  const stored = await collection<StoredTrigger>("record_trigger")
    .find({ active: { $ne: false } }, { projection })
    .toArray();
  const order = (one: StoredTrigger): number => one.order ?? 0;
  return stored
    .sort((a, b) => order(a) - order(b) || (a.file_name < b.file_name ? -1 : 1))
    .map(({ _id, name, file_name, object_api_name, events, mode }) => ({
      id: _id,
      name: name ?? file_name,
      file_name,
      object: object_api_name.toLowerCase(),
      events: events.filter(isEvent),
      mode: mode === "async" ? "async" : "sync",
    }));
};

/** The nodes of an automation are checked when it is saved. */
const startsOf = ({ _id, nodes }: StoredAutomation): (StartedAutomation & { readonly object: string })[] =>
  (Array.isArray(nodes) ? nodes : []).flatMap((node: unknown) => {
    const config = isObject(node) && node.type === "trigger" && isObject(node.config) ? node.config : {};
    const { kind, object, events } = config;
    if (kind !== "record" || typeof object !== "string" || !Array.isArray(events)) return [];
    return [{ id: _id, object: object.toLowerCase(), events: events.filter(isEvent) }];
  });

const automationsOf = async ({ collection }: Tenant) => {
  const stored = await collection<StoredAutomation>("automation")
    .find({ active: true }, { projection: { "nodes.type": 1, "nodes.config": 1 } })
    .toArray();
  return stored.flatMap(startsOf);
};

const settingsOf = async ({ collection }: Tenant) => {
  const stored = await collection<StoredSetting>("notification_setting")
    .find({ active: { $ne: false }, object: { $type: "string" } }, { projection: { object: 1, events: 1 } })
    .toArray();
  return stored.flatMap(({ _id, object, events }) => {
    if (typeof object !== "string" || !Array.isArray(events) || events.length === 0) return [];
    return [{ id: _id, object: object.toLowerCase(), events: events.map((event) => `after_${event}`).filter(isEvent) }];
  });
};

const load = async (tenant: Tenant): Promise<ByObject> => {
  const [triggers, automations, settings] = await Promise.all([
    triggersOf(tenant),
    automationsOf(tenant),
    settingsOf(tenant),
  ]);
  const objects = new Set([...triggers, ...automations, ...settings].map(({ object }) => object));
  const of = (name: string): Installed => ({
    triggers: triggers.filter(({ object }) => object === name),
    automations: automations.filter(({ object }) => object === name),
    settings: settings.filter(({ object }) => object === name),
  });
  return Object.fromEntries([...objects].map((object) => [object, of(object)]));
};

const allInstalled = (tenant: Tenant): Promise<ByObject> =>
  installedCache.read(tenant, "triggers", versionOf(tenant), () => load(tenant));

/** What the writes of an object set off; null for most objects. Costs no command while nothing is changed. */
export const installedFor = async (tenant: Tenant, object: string): Promise<Installed | null> => {
  const all = await allInstalled(tenant);
  return Object.hasOwn(all, object) ? (all[object] ?? null) : null;
};

/** A trigger as it is now; null for one that is gone or not active. */
export const triggerOf = async (tenant: Tenant, id: string): Promise<Trigger | null> => {
  const all = Object.values(await allInstalled(tenant));
  return all.flatMap(({ triggers }) => triggers).find((trigger) => trigger.id === id) ?? null;
};

/** The names of a trigger, where there is no tenant; null for one that is gone or not active. */
export const storedTrigger = async (
  { collection }: Pick<TenantDatabase, "collection">,
  id: string,
): Promise<Pick<Trigger, "id" | "name" | "file_name"> | null> => {
  const found = await collection<StoredTrigger>("record_trigger").findOne(
    { _id: id, active: { $ne: false } },
    { projection: { name: 1, file_name: 1 } },
  );
  return found === null ? null : { id, name: found.name ?? found.file_name, file_name: found.file_name };
};

/** The code of a trigger as it is now; null for one that is gone or not active. */
export const codeOf = async (tenant: Tenant, id: string): Promise<string | null> => {
  const found = await codes.read(tenant, `trigger/${id}`, versionOf(tenant), async () => {
    const stored = await tenant
      .collection<StoredTrigger & { code: string }>("record_trigger")
      .findOne({ _id: id, active: { $ne: false } }, { projection: { code: 1 } });
    return stored === null ? null : { code: stored.code };
  });
  return found?.code ?? null;
};

export const eventOf = (time: "before" | "after", operation: WriteOperation): TriggerEvent => `${time}_${operation}`;
