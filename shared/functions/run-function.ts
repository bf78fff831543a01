import { readDefinition } from "#shared/data/records/records";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { execute, type Job } from "./execute.ts";
import { earlierOutcome } from "./executions/earlier.ts";
import type { Origin, Outcome } from "./outcome.ts";

export type Which = { readonly id: string } | { readonly file_name: string };

/** Of a function whose record does not say. */
const DEFAULT_SECONDS = 60;
const DEFAULT_MEGABYTES = 256;

const numberOr = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

const jobOf = async (tenant: Tenant, which: Which, kwargs: Readonly<Record<string, unknown>>): Promise<Job> => {
  const match = "id" in which ? { _id: which.id } : { file_name: which.file_name };
  const found = await readDefinition(tenant, "function", match);
  if (found === null || found.active !== true) throw new Fault("function_not_found");
  const name = String(found.file_name);
  return {
    kind: "function",
    form: "function",
    name,
    related_to: { id: found._id, schema: "function", name: String(found.name ?? name) },
    code: String(found.code),
    inputs: kwargs,
    given: { kwargs: { ...kwargs } },
    milliseconds: numberOr(found.timeout_seconds, DEFAULT_SECONDS) * 1000,
    memory_mb: numberOr(found.memory_mb, DEFAULT_MEGABYTES),
  };
};

/**
 * Runs an active function that the caller may read, in the name of the caller. What goes wrong with its code is the
 * outcome. For a request that came before with the same `Idempotency-Key` it gives the earlier outcome. Raises
 * `function_not_found`, `forbidden`, `execution_limit`, `too_many_functions` and `idempotency_in_flight`.
 */
export const runFunction = async (
  tenant: Tenant,
  which: Which,
  kwargs: Readonly<Record<string, unknown>>,
  origin: Origin,
): Promise<Outcome> => {
  const job = await jobOf(tenant, which, kwargs);
  const isOwnEffect = origin.place === "api" || origin.place === "replay";
  const done = await execute(tenant, job, origin, isOwnEffect ? tenant.once : undefined);
  if ("earlier" in done) return earlierOutcome(tenant, done.earlier);
  const { execution: _, new_map: __, ...outcome } = done;
  return outcome;
};
