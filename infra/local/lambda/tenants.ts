import type { Clock } from "../clock.ts";
import type { Capacity } from "./capacity.ts";
import type { Outcome } from "./environment.ts";
import { type OpenEnvironment, openPool, type Pool } from "./pool.ts";

interface TenantsOptions {
  readonly capacity: Capacity;
  readonly clock: Clock;
  readonly reservedConcurrency: number | undefined;
  /** Milliseconds after which an idle environment ends. */
  readonly idleLimit: number;
  /** The maximum of environments of one tenant. AWS has none. */
  readonly most: number;
  readonly open: OpenEnvironment;
}

export interface TenantPools {
  /** The outcome; undefined if the function is throttled. */
  invoke(tenant: string, requestId: string, event: string): Promise<Outcome | undefined>;
  /** The number of environments, over all tenants. */
  size(): number;
  stop(): Promise<void>;
}

/**
 * How long an event waits for an environment, before it is throttled. Lambda throttles at once, but has more of them.
 * An event may wait for one that itself waits for the end of another event, so the wait has to end.
 */
const longestWait = 5_000;

/** A process takes longer to start than most events take. */
const patience = 50;

/** The execution environments of a function with tenant isolation: each serves one tenant and no other. */
export const openTenantPools = (options: TenantsOptions): TenantPools => {
  const { capacity, clock, reservedConcurrency, idleLimit, most, open } = options;
  const pools = new Map<string, Pool>();
  let running = 0;

  const poolOf = (tenant: string): Pool => {
    const known = pools.get(tenant);
    if (known !== undefined) return known;
    const created = openPool({
      capacity,
      clock,
      reservedConcurrency: undefined,
      idleLimit,
      patience,
      most,
      yields: true,
      open,
    });
    pools.set(tenant, created);
    return created;
  };
  let cancelSweep = (): void => undefined;
  const sweep = (): void => {
    for (const [tenant, pool] of pools) {
      if (!pool.isUnused()) continue;
      pools.delete(tenant);
      void pool.stop();
    }
    cancelSweep = clock.after(idleLimit, sweep);
  };
  cancelSweep = clock.after(idleLimit, sweep);

  return {
    invoke: async (tenant, requestId, event) => {
      if (running >= (reservedConcurrency ?? Number.POSITIVE_INFINITY)) return undefined;
      running++;
      try {
        return await poolOf(tenant).invoke(requestId, event, { caller: undefined, milliseconds: longestWait });
      } finally {
        running--;
      }
    },
    size: () => [...pools.values()].reduce((sum, pool) => sum + pool.size(), 0),
    stop: async () => {
      cancelSweep();
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
    },
  };
};
