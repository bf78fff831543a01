import { Fault } from "#shared/foundation/faults";
import { base, type UsageRunDay } from "#shared/tenant/tenant";

interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const dayOf = ({ date, status, records, reason }: UsageRunDay) => ({
  date,
  status,
  ...(records !== undefined && { records }),
  ...(reason !== undefined && { reason }),
});

const statusOf = (isPlanned: boolean, pending: number, failed: number) => {
  if (!isPlanned || pending > 0) return "running" as const;
  return failed > 0 ? ("completed_with_failures" as const) : ("completed" as const);
};

/** How a run went, for some of its organizations. Raises `usage_run_not_found`. */
export const showUsageRun = async (run_id: string, { limit, cursor = "" }: Page) => {
  const { usageRuns, usageRunDays } = await base();
  const run = await usageRuns.findOne({ _id: run_id });
  if (run === null) throw new Fault("usage_run_not_found");
  // Every organization has a document for each day.
  const page = { run_id, organization_id: { $gt: cursor } };
  const [added, pending, failed, found] = await Promise.all([
    usageRunDays.countDocuments({ run_id }),
    usageRunDays.countDocuments({ run_id, status: "pending" }),
    usageRunDays.countDocuments({ run_id, status: "failed" }),
    usageRunDays
      .find(page)
      .sort({ organization_id: 1, date: 1 })
      .limit(limit * run.days)
      .toArray(),
  ]);
  const byOrganization = Map.groupBy(found, ({ organization_id }) => organization_id);
  const results = [...byOrganization].map(([organization_id, days]) => ({ organization_id, days: days.map(dayOf) }));
  const last = results.length === limit ? results.at(-1)?.organization_id : undefined;
  // Without its account an organization leaves a run that has not come to it.
  const all = run.planned ? added : Math.max(added, run.organizations * run.days);
  return {
    run_id,
    start_date: run.start_date,
    end_date: run.end_date,
    organizations: run.organizations,
    days: run.days,
    status: statusOf(run.planned, pending, failed),
    pending: pending + all - added,
    failed,
    created_date: run.created_date.toISOString(),
    results,
    ...(last !== undefined && { next_cursor: last }),
  };
};
