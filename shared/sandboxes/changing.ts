import { setTimeout } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { elapsedMillis, now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { changeSandbox, type RegisteredSandbox, sandboxNamed } from "./registry.ts";
import { admit } from "./states.ts";

/** Longer than a request may take. */
const LEASE_MS = 60_000;
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

const take = ({ _id, sandbox }: RegisteredSandbox, id: string): Promise<RegisteredSandbox | null> => {
  const isFree = [{ "sandbox.changing": { $exists: false } }, { "sandbox.changing.until": { $lt: now() } }];
  const until = new Date(nowMillis() + LEASE_MS);
  return changeSandbox(
    _id,
    { "sandbox.status": "active", "sandbox.instance": sandbox.instance, $or: isFree },
    { $set: { "sandbox.changing": { id, until } } },
  );
};

const takeInTime = async (tenant: Tenant, name: string, id: string): Promise<RegisteredSandbox> => {
  for (const end = elapsedMillis() + PATIENCE_MS; ; await setTimeout(PAUSE_MS)) {
    const { entry } = await sandboxNamed(tenant, name);
    admit("use", entry.sandbox.status);
    const taken = await take(entry, id);
    if (taken !== null) return taken;
    if (elapsedMillis() > end) throw new Fault("sandbox_busy", { headers: { "retry-after": "5" } });
  }
};

/**
 * Changes the users or the settings of an active sandbox, one request after another, because both concern two databases
 * and the sandbox's own. Raises `forbidden` in a sandbox, `sandbox_not_found` and `sandbox_busy`.
 */
export const changing = async <T>(
  tenant: Tenant,
  name: string,
  work: (entry: RegisteredSandbox) => Promise<T>,
): Promise<T> => {
  const id = uuidv7();
  const entry = await takeInTime(tenant, name, id);
  try {
    return await work(entry);
  } finally {
    await changeSandbox(entry._id, { "sandbox.changing.id": id }, { $unset: { "sandbox.changing": true } });
  }
};
