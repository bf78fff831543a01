import { nowMillis } from "#shared/foundation/clock";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { automationExecutions } from "./execution.ts";

/** Delays that ended so long ago and whose runs still wait: their schedule was lost. */
const LATE_MS = 5 * 60_000;
const MOST_AT_ONCE = 100;

/** The runs of an organization whose schedule has not come, with the revision that they wait for. */
export const overdueRuns = async (
  database: Pick<TenantDatabase, "collection">,
): Promise<{ readonly id: string; readonly revision: number }[]> => {
  const late = { status: "waiting" as const, "waiting.resume_at": { $lt: new Date(nowMillis() - LATE_MS) } };
  const found = await automationExecutions(database)
    .find(late, { projection: { "waiting.revision": 1 } })
    .limit(MOST_AT_ONCE)
    .toArray();
  return found.map(({ _id, waiting }) => ({ id: _id, revision: waiting?.revision ?? 0 }));
};
