import { atExpression, SCHEDULED_TIME, scheduleName } from "#shared/foundation/aws/scheduler";
import type { Execution } from "#shared/functions/functions";
import { addToOutbox, markBackgroundWork, type ScheduleChange, type Tenant } from "#shared/tenant/tenant";
import { RunError } from "../engine/node-error.ts";
import type { Stop } from "../engine/run.ts";
import { automationExecutions, type Waiting } from "./execution.ts";
import type { Automation } from "./load.ts";

/** The kind of the schedules of delays. Their id is that of the execution. */
export const DELAY_KIND = "automation";

/** A document of MongoDB has at most 16 MiB. */
const MOST_BYTES = 8 * 1024 * 1024;

const scheduleOf = (organization: string, id: string, revision: number, until: Date): ScheduleChange => ({
  action: "put",
  name: scheduleName(organization, DELAY_KIND, id),
  revision: String(revision),
  expression: atExpression(until),
  input: { organization, kind: DELAY_KIND, id, revision: String(revision), scheduled_time: SCHEDULED_TIME },
});

/**
 * Stores the state of a run, and the schedule that goes on with it, in one transaction. The run keeps its nodes and
 * edges, so that a change of the automation counts for later runs only. Gives when it goes on. Raises `RunError`.
 */
export const wait = async (
  tenant: Tenant,
  { _id }: Execution,
  { definition }: Automation,
  { until, state, lines }: Extract<Stop, { kind: "waiting" }>,
): Promise<string> => {
  const id = _id;
  const { organization_id } = tenant;
  const executions = automationExecutions(tenant);
  const before = await executions.findOne({ _id }, { projection: { waiting: 1 } });
  const revision = (before?.waiting?.revision ?? 0) + 1;
  const waiting: Waiting = {
    revision,
    resume_at: until,
    state: JSON.stringify(state),
    lines: JSON.stringify(lines),
    definition: JSON.stringify(definition),
  };
  const schedule = scheduleOf(organization_id, id, revision, until);
  const bytes = Buffer.byteLength(waiting.state);
  if (bytes > MOST_BYTES) {
    throw new RunError(
      "limit",
      `An automation may keep at most ${MOST_BYTES} bytes during a delay; this one has ${bytes}.`,
    );
  }
  await markBackgroundWork(organization_id, "schedules");
  await tenant.transaction(async (session) => {
    const running = { _id, status: "running" } as const;
    const { matchedCount } = await executions.updateOne(
      running,
      { $set: { status: "waiting", waiting }, $unset: { progress: "" } },
      { session },
    );
    if (matchedCount === 0) throw new RunError("interrupted", "The run was ended by another one.");
    await addToOutbox(tenant, session, [{ schedule }]);
  });
  return until.toISOString();
};
