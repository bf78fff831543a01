import { Fault } from "#shared/foundation/faults";
import type { SandboxStatus } from "#shared/tenant/tenant";

/** What one can ask for, besides showing and listing, which is always answered. */
export type SandboxRequest = "create" | "refresh" | "delete" | "use";

/**
 * What a request meets in each state. `begin`: it is carried out. `join`: the same is being done already, and is answered
 * as it is. `exists`, `busy`, `failed`, `deleting`: refused with a 409. `use` stands for everything that reads or changes
 * an active sandbox: its users, settings, differences, and deploying an app.
 */
type Meeting = "begin" | "join" | "exists" | "busy" | "failed" | "deleting";

const meetings: Readonly<Record<SandboxStatus, Readonly<Record<SandboxRequest, Meeting>>>> = {
  provisioning: { create: "exists", refresh: "busy", delete: "begin", use: "busy" },
  active: { create: "exists", refresh: "begin", delete: "begin", use: "begin" },
  refreshing: { create: "exists", refresh: "join", delete: "begin", use: "busy" },
  failed: { create: "begin", refresh: "failed", delete: "begin", use: "failed" },
  deleting: { create: "deleting", refresh: "deleting", delete: "join", use: "deleting" },
};

const busy = (message: string): Fault => new Fault("sandbox_busy", { message, headers: { "retry-after": "5" } });

/** Raises `sandbox_exists` and `sandbox_busy`. True if the request is to be carried out, false if it is already. */
export const admit = (request: SandboxRequest, status: SandboxStatus): boolean => {
  switch (meetings[status][request]) {
    case "begin":
      return true;
    case "join":
      return false;
    case "exists":
      throw new Fault("sandbox_exists");
    case "busy":
      throw busy(`This sandbox is ${status}; try again when that has ended.`);
    case "failed":
      throw busy("This sandbox could not be created. Create it again, or delete it.");
    case "deleting":
      throw busy("This sandbox is being deleted; try again when that has ended.");
  }
};

/** The states in which a request is carried out. */
export const statesFor = (request: SandboxRequest): SandboxStatus[] =>
  (Object.keys(meetings) as SandboxStatus[]).filter((status) => meetings[status][request] === "begin");
