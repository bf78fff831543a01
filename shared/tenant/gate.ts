import { Fault } from "#shared/foundation/faults";
import type { TenantDatabase } from "./database.ts";
import { type OrganizationState, STATE_COLLECTION, type StateStatus } from "./documents.ts";

const gated: ReadonlySet<StateStatus> = new Set<StateStatus>(["refreshing", "provisioning"]);

/** Whether the gate is up: the data of the sandbox is being replaced or first copied. */
export const isGated = (status: StateStatus): boolean => gated.has(status);

/** The gate is up for seconds. */
export const sandboxRefreshing = (cause?: unknown): Fault =>
  new Fault("sandbox_refreshing", { cause, headers: { "retry-after": "5" } });

/**
 * For a database that is not the registered copy of the organization: a sandbox that is being refreshed, or another
 * organization that is being restored or moved.
 */
export const notRegisteredCopy = ({
  is_sandbox,
  organization_id,
}: Pick<TenantDatabase, "is_sandbox" | "organization_id">): Fault =>
  is_sandbox
    ? sandboxRefreshing()
    : new Fault("database_unavailable", {
        cause: new Error(`The state and the registry entry of ${organization_id} have different generations.`),
        headers: { "retry-after": "5" },
      });

/** Whether the state was read in the copy of the data for which the database was opened. */
export const isSameCopy = (
  { generation }: Pick<TenantDatabase, "generation">,
  state: Pick<OrganizationState, "generation">,
): boolean => generation === (state.generation ?? null);

type Checked = Pick<TenantDatabase, "organization_id" | "is_sandbox" | "generation" | "collection">;

/**
 * Raises `sandbox_refreshing` unless the sandbox is still open and its data the copy that was opened. After reads it
 * proves that all of them saw this copy alone (docs/decisions/0035). Ordinary organizations are not checked.
 */
export const refuseReplacedCopy = async (database: Checked): Promise<void> => {
  if (!database.is_sandbox) return;
  const state = await database
    .collection<OrganizationState>(STATE_COLLECTION)
    .findOne({ _id: database.organization_id }, { projection: { status: 1, generation: 1 } });
  const isOpen = state !== null && !isGated(state.status) && state.status !== "deleting";
  if (!isOpen || !isSameCopy(database, state)) throw sandboxRefreshing();
};
