import { v7 as uuidv7 } from "uuid";
import { type NotifySetting, notifySetting } from "#contracts/notification-messages";
import { type QueuedRecords, recordTriggerMessage, startAutomation } from "#contracts/record-messages";
import type { TriggerEvent } from "#contracts/runner";
import type { QueuedMessage, RecordMap, WriteMaps } from "#shared/data/records/writer/writer";
import type { ParentExecution } from "../outcome.ts";
import { eventOf, type Installed } from "./installed.ts";

/** Of the records of one message. A batch of large records becomes several messages. */
const MOST_BYTES = 1024 * 1024;

interface Part {
  readonly new_map: Record<string, RecordMap[string]>;
  readonly old_map: Record<string, RecordMap[string]>;
}

const bytesOf = (record: unknown): number => (record === undefined ? 0 : Buffer.byteLength(JSON.stringify(record)));

/** The values of encrypted fields are stored encrypted only, so messages do not have these fields. */
const withoutEncrypted = (map: RecordMap, { schema }: WriteMaps["target"]): RecordMap => {
  const names = Object.values(schema.properties).flatMap((field) => (field.encrypted === true ? [field.api_name] : []));
  if (names.length === 0) return map;
  const kept = (record: RecordMap[string]) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
  return Object.fromEntries(Object.entries(map).map(([id, record]) => [id, kept(record)]));
};

const partsOf = (maps: WriteMaps): Part[] => {
  const new_map = withoutEncrypted(maps.new_map, maps.target);
  const old_map = withoutEncrypted(maps.old_map, maps.target);
  const parts: Part[] = [];
  let part: Part = { new_map: {}, old_map: {} };
  let bytes = 0;
  for (const id of Object.keys({ ...old_map, ...new_map })) {
    const [after, before] = [new_map[id], old_map[id]];
    const own = bytesOf(after) + bytesOf(before);
    if (bytes > 0 && bytes + own > MOST_BYTES) {
      parts.push(part);
      part = { new_map: {}, old_map: {} };
      bytes = 0;
    }
    if (after !== undefined) part.new_map[id] = after;
    if (before !== undefined) part.old_map[id] = before;
    bytes += own;
  }
  return [...parts, part];
};

/** A setting is fired once for each record. */
const firingsOf = (setting_id: string, { target: { tenant }, operation }: WriteMaps, part: Part): NotifySetting => ({
  setting_id,
  by: { id: tenant.caller.id, schema: "user", name: tenant.caller.name },
  firings: Object.keys({ ...part.old_map, ...part.new_map }).map((record_id) => {
    const [record, old] = [part.new_map[record_id], part.old_map[record_id]];
    return { id: uuidv7(), data: {}, record_id, operation, ...(record && { record }), ...(old && { old }) };
  }),
});

/**
 * The messages of a write: for its async triggers, the automations that it starts, and the settings that tell of it.
 * Null if there are none.
 */
export const queuedBy = (
  { triggers, automations, settings }: Installed,
  event: TriggerEvent,
  parent: ParentExecution | undefined,
): ((maps: WriteMaps) => QueuedMessage[]) | null => {
  const async = triggers.filter(({ mode, events }) => mode === "async" && events.includes(event));
  const started = automations.filter(({ events }) => events.includes(event));
  const told = settings.filter(({ events }) => events.includes(event));
  if (async.length + started.length + told.length === 0) return null;
  return (maps) => {
    const { tenant, object } = maps.target;
    const chain = { depth: parent?.depth ?? 0, path: [...(parent?.path ?? [])] };
    const { id: user_id, client_id, scope, responsible } = tenant.caller;
    const acting = { user_id, client_id, scope, responsible };
    return partsOf(maps).flatMap((part) => {
      const records: QueuedRecords = { event: eventOf("after", maps.operation), object, ...part, acting, chain };
      return [
        ...async.map(({ id }) => ({ queue: recordTriggerMessage.queue, payload: { trigger_id: id, ...records } })),
        ...started.map(({ id }) => ({ queue: startAutomation.queue, payload: { automation_id: id, ...records } })),
        ...told.map(({ id }) => ({ queue: notifySetting.queue, payload: firingsOf(id, maps, part) })),
      ];
    });
  };
};
