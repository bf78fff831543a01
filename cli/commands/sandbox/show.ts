import type { Sandbox } from "../../connection/access.ts";
import type { CommonOptions } from "../../options.ts";
import { showOne } from "../../terminal/show.ts";
import { isTerminal } from "../../terminal/terminal.ts";

const stateOf = ({ status, progress: { step, done, total } }: Sandbox): string =>
  status === "active" || status === "failed" ? status : `${status}: ${step}, ${done} of ${total}`;

const failureOf = ({ failure }: Sandbox): string =>
  failure === null ? "" : `${failure.operation} failed at ${failure.step}: ${failure.reason}`;

/** A sandbox as lines for people. */
const summaryOf = (sandbox: Sandbox) => ({
  name: sandbox.sandbox_name,
  of: sandbox.parent_organization_id,
  id: sandbox.id,
  status: stateOf(sandbox),
  ...(sandbox.failure && { failure: failureOf(sandbox) }),
  users: sandbox.users,
  schedules: sandbox.enable_schedules ? "on" : "off",
  created: sandbox.created_date,
  refreshed: sandbox.refreshed_date,
  description: sandbox.description,
});

const columns = (summary: object) =>
  Object.keys(summary).map((key) => ({ key, ...(/ed$/.test(key) && { format: "date-time" }) }));

export const showDetails = async (sandbox: Sandbox, options: CommonOptions): Promise<void> => {
  const summary = summaryOf(sandbox);
  await showOne(options, sandbox, columns(summary), summary);
};

/** On a terminal the message is enough after a command that changes it. */
export const showSandbox = async (sandbox: Sandbox, options: CommonOptions): Promise<void> => {
  if (isTerminal() && options.output === undefined) return;
  await showDetails(sandbox, options);
};
