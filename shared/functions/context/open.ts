import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { actingTenant, openOrganization, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import { type Execution, executionsOf } from "../executions/execution.ts";
import { executionLimits } from "../executions/limits.ts";
import { isSecretOf, tokenParts } from "../executions/token.ts";

/** A running execution, and the tenant in whose name it acts, with the rights of this moment. */
export interface RunningExecution {
  readonly execution: Execution;
  readonly tenant: Tenant;
}

/** The same for every token that is not valid now, so that nothing can be learned from it. */
export const invalidToken = (): Fault =>
  new Fault("unauthenticated", {
    message: "The capability token is not valid, or its execution has ended.",
    headers: { "www-authenticate": 'Bearer realm="tenantry", error="invalid_token"' },
  });

const isAlive = ({ status, deadline }: Execution): boolean =>
  status === "running" && nowMillis() < deadline.getTime() + executionLimits.afterDeadline;

/** Counts a call of the whole chain of executions. Raises `too_many_calls`. */
const countCall = async (database: TenantDatabase, { root }: Execution): Promise<void> => {
  const { matchedCount } = await executionsOf(database).updateOne(
    { _id: root, status: "running", calls: { $lt: executionLimits.calls } },
    { $inc: { calls: 1 } },
  );
  if (matchedCount === 1) return;
  const isRunning = (await executionsOf(database).findOne({ _id: root, status: "running" })) !== null;
  if (!isRunning) throw invalidToken();
  throw new Fault("too_many_calls", {
    message: `An execution and all that it starts may call the platform ${executionLimits.calls} times.`,
  });
};

/** The running execution of a capability token, and its database. Raises `unauthenticated`. */
export const findExecution = async (token: string): Promise<{ database: TenantDatabase; execution: Execution }> => {
  const parts = tokenParts(token);
  const database = parts === null ? null : await openOrganization(parts.organizationId);
  if (parts === null || database === null) throw invalidToken();
  const execution = await executionsOf(database).findOne({ _id: parts.executionId });
  if (execution === null || !isSecretOf(parts.secret, execution.token_hash) || !isAlive(execution)) {
    throw invalidToken();
  }
  return { database, execution };
};

/**
 * Opens the execution of a capability token. Raises `unauthenticated`, `too_many_calls`, and what `actingTenant` raises
 * for users who may not act any more.
 */
export const openExecution = async (token: string, requestId: string): Promise<RunningExecution> => {
  const { database, execution } = await findExecution(token);
  const { user, client_id, scope, responsible, started } = execution;
  const acting = { user_id: user.id, client_id, scope, responsible, began: started };
  const [tenant] = await Promise.all([
    actingTenant(database.organization_id, acting, requestId),
    countCall(database, execution),
  ]);
  return { execution, tenant };
};
