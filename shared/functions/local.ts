import { runAnswer } from "#contracts/runner";
import { nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { parsedAs } from "./context/arguments.ts";
import { findExecution, invalidToken } from "./context/open.ts";
import { endingOf, userOf } from "./execute.ts";
import { beginExecution, leave } from "./executions/begin.ts";
import { endExecution } from "./executions/end.ts";

/** As long as a function on the platform. */
const LONGEST_MS = 60_000;

export interface LocalExecution {
  readonly id: string;
  readonly context_url: string;
  readonly token: string;
  readonly deadline: string;
  readonly timeout_ms: number;
  readonly user: Record<string, unknown>;
}

/** Raises `forbidden` where local executions are not allowed, and `too_many_functions`. */
export const beginLocalExecution = async (
  tenant: Tenant,
  name: string,
  inputs: Readonly<Record<string, unknown>>,
): Promise<LocalExecution> => {
  if (!tenant.is_sandbox && !env.localExecutionsEverywhere()) {
    throw new Fault("forbidden", {
      message: "Code runs on one's own machine only for a sandbox, because it could do much before it is tried.",
    });
  }
  const beginning = { kind: "function", name, related_to: null, inputs, milliseconds: LONGEST_MS } as const;
  const begun = await beginExecution(tenant, beginning, { place: "local", deadline: nowMillis() + LONGEST_MS });
  if ("earlier" in begun) throw new Error("An execution without a key cannot be a repeated one.");
  const { execution, token } = begun;
  return {
    id: execution._id,
    context_url: `${env.issuer()}/v1/internal/context`,
    token,
    deadline: execution.deadline.toISOString(),
    timeout_ms: Math.max(execution.deadline.getTime() - nowMillis(), 1),
    user: userOf(tenant),
  };
};

/** Raises `unauthenticated`, also for an execution that has ended, or runs on the platform, and `validation_failed`. */
export const endLocalExecution = async (token: string, body: unknown): Promise<void> => {
  const { database, execution } = await findExecution(token);
  if (execution.place !== "local") throw invalidToken();
  const answer = parsedAs(runAnswer, body);
  if ((await endExecution(database, execution, endingOf(answer))) === null) throw invalidToken();
  await leave(database, execution);
};
