/** Record triggers: what writes of records set off. */
import type { ObjectHooks, RecordHooks, WriteOperation } from "#shared/data/records/writer/writer";
import type { Tenant } from "#shared/tenant/tenant";
import type { Origin } from "../outcome.ts";
import { eventOf, type Installed, installedFor } from "./installed.ts";
import { queuedBy } from "./queued.ts";

/** Loaded when a trigger runs, because few requests set one off. */
const runner = () => import("./run-trigger.ts");

const hooksOf = (
  installed: Installed,
  operation: WriteOperation,
  origin: Omit<Origin, "place">,
): ObjectHooks | null => {
  const [before, after] = [eventOf("before", operation), eventOf("after", operation)];
  const sync = installed.triggers.filter(({ mode }) => mode === "sync");
  const hooks: ObjectHooks = {
    before: sync
      .filter(({ events }) => events.includes(before))
      .map((trigger) => ({
        name: trigger.file_name,
        run: async (maps, scope) => (await runner()).runSync(trigger, before, maps, scope, origin),
      })),
    after: sync
      .filter(({ events }) => events.includes(after))
      .map((trigger) => async (maps, scope) => {
        await (await runner()).runSync(trigger, after, maps, scope, origin);
      }),
    queued: queuedBy(installed, after, origin.parent),
  };
  return hooks.before.length + hooks.after.length === 0 && hooks.queued === null ? null : hooks;
};

/**
 * The triggers and automations that the writes of a caller set off. `origin`: when they must have ended, and the
 * execution that writes, if one does.
 */
export const recordHooks = (_: Tenant, { deadline, parent }: Omit<Origin, "place">): RecordHooks => ({
  outer: parent?.write ?? null,
  of: async ({ tenant, object }, operation) => {
    const installed = await installedFor(tenant, object);
    if (installed === null) return null;
    return hooksOf(installed, operation, { deadline, ...(parent !== undefined && { parent }) });
  },
});
