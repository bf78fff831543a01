import type * as z from "zod";
import type { sandboxUpdateRequest } from "#contracts/sandbox-bodies";
import { pauseSchedules } from "#shared/data/records/scheduling/scheduling";
import { Fault } from "#shared/foundation/faults";
import { type OrganizationState, openWithState, STATE_COLLECTION, type Tenant } from "#shared/tenant/tenant";
import { changing } from "./changing.ts";
import { enterListsOf } from "./lists.ts";
import { changeSandbox, type RegisteredSandbox, sandboxNamed } from "./registry.ts";
import { admit } from "./states.ts";
import { noteInTrail } from "./trail.ts";

type Change = z.output<typeof sandboxUpdateRequest>;

/** Brings description and settings to where the sandbox itself and its users see them. Repeatable. */
const spread = async (entry: RegisteredSandbox): Promise<void> => {
  const { _id, sandbox } = entry;
  const opened = await openWithState(_id);
  if (opened === null) throw new Fault("sandbox_not_found");
  const { database } = opened;
  const { description, enable_schedules } = sandbox;
  await database.transaction(async (session) => {
    const change = description === null ? { $unset: { description: "" as const } } : { $set: { description } };
    await database.collection<{ _id: string }>("organization").updateOne({ _id }, change, { session });
    await database
      .collection<OrganizationState>(STATE_COLLECTION)
      .updateOne({ _id }, { $set: { enable_schedules } }, { session });
    await pauseSchedules(database, !enable_schedules, session);
  });
  const users = await database
    .collection<{ _id: string }>("user")
    .find({}, { projection: { _id: 1 } })
    .toArray();
  await enterListsOf(
    entry,
    users.map((user) => user._id),
  );
};

/** Changes the description or the settings of a sandbox. Raises `sandbox_not_found` and `sandbox_busy`. */
export const updateSandbox = async (tenant: Tenant, name: string, change: Change): Promise<RegisteredSandbox> => {
  const { entry: present } = await sandboxNamed(tenant, name);
  admit("use", present.sandbox.status);
  const set = Object.entries(change).filter(([, value]) => value !== undefined);
  if (set.length === 0) return present;
  await noteInTrail(tenant, "sandbox_updated", name, { fields: set.map(([field]) => field) });
  return changing(tenant, name, async (entry) => {
    const after = await changeSandbox(
      entry._id,
      { "sandbox.status": "active", "sandbox.instance": entry.sandbox.instance },
      { $set: Object.fromEntries(set.map(([field, value]) => [`sandbox.${field}`, value])) },
    );
    if (after === null) throw new Fault("sandbox_busy");
    await spread(after);
    return after;
  });
};
