import { elapsedMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { actingTenant, delayRefusal, openOrganization, requirePayment, type Tenant } from "#shared/tenant/tenant";
import type { AutomationOutcome } from "../runs/execution.ts";
import { activeAutomation, automationOf, type StoredAutomation } from "../runs/load.ts";
import { startAutomation } from "../runs/start.ts";
import { countAttempt } from "./attempts.ts";
import { publicOnce } from "./once.ts";

export interface PublicRequest {
  readonly organization_id: string;
  readonly automation_id: string;
  /** The IP address of the caller. */
  readonly address: string;
  readonly body: unknown;
  /** The `Idempotency-Key`. */
  readonly key: string | undefined;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly request_id: string;
}

const idOf = (reference: { readonly id?: unknown } | null | undefined): string =>
  typeof reference?.id === "string" ? reference.id : "";

interface Opened {
  readonly tenant: Tenant;
  readonly stored: StoredAutomation;
}

/** Faults that would tell that the automation exists. */
const hidden: ReadonlySet<string> = new Set(["forbidden", "organization_suspended", "sandbox_refreshing"]);

/**
 * The automation, and the tenant of its `run_as` user. The user who changed it last answers for it: they must be an
 * administrator still, and the run has no right that they have not. Null if it cannot be run.
 */
const open = async ({ organization_id, automation_id, request_id }: PublicRequest): Promise<Opened | null> => {
  const database = await openOrganization(organization_id);
  if (database === null) return null;
  const stored = await activeAutomation(database, automation_id);
  if (stored?.public !== true) return null;
  const acting = {
    user_id: idOf(stored.run_as),
    client_id: null,
    scope: "all",
    responsible: idOf(stored.modified_by),
  };
  try {
    return { stored, tenant: await actingTenant(organization_id, acting, request_id) };
  } catch (error) {
    if (!(error instanceof Fault) || !hidden.has(error.code)) throw error;
    log.warn({ organization: organization_id, automation: automation_id, code: error.code }, "not run publicly");
    return null;
  }
};

/**
 * Runs an automation that is active and public, for anyone. Raises `too_many_attempts`, `too_many_functions`,
 * `idempotency_in_flight`, `payment_required`, and the same `automation_not_found` for everything that cannot be run,
 * after the same time.
 */
export const runPublicAutomation = async (request: PublicRequest): Promise<AutomationOutcome> => {
  const start = elapsedMillis();
  const { organization_id, automation_id, address, body, key, deadline } = request;
  await countAttempt(organization_id, automation_id, address);
  const opened = await open(request);
  if (opened === null) {
    await delayRefusal(start);
    throw new Fault("automation_not_found");
  }
  const { tenant, stored } = opened;
  requirePayment(tenant);
  const once = key === undefined ? undefined : publicOnce(tenant, { automation: automation_id, key, body });
  const inputs = { body: body ?? null };
  return startAutomation(tenant, automationOf(stored), inputs, { place: "public", deadline }, once);
};
