import { Fault } from "#shared/foundation/faults";
import { type OrganizationState, openWithState, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import { type RegisteredSandbox, sandboxNamed } from "../registry.ts";
import { admit } from "../states.ts";

/** The sandbox that an app is pushed from. */
export type Source = TenantDatabase & { readonly state: OrganizationState };

const opened = async ({ _id, sandbox }: RegisteredSandbox): Promise<Source> => {
  admit("use", sandbox.status);
  const organization = await openWithState(_id);
  if (organization === null) throw new Fault("sandbox_not_found");
  return { ...organization.database, state: organization.state };
};

/**
 * The sandbox that an app is pushed from, and the target as the caller's tenant: their own production organization by its
 * id, or another of its sandboxes by its name, of which the caller need not be a user. Raises `forbidden` in a sandbox,
 * `sandbox_not_found`, `sandbox_busy`, `sandbox_refreshing`, and `validation_failed` for the sandbox itself.
 */
export const placesOf = async (
  tenant: Tenant,
  name: string,
  target: string,
): Promise<{ source: Source; target: Tenant }> => {
  const { parent, entry } = await sandboxNamed(tenant, name);
  if (target === name) {
    const msg = "An app is not pushed to the sandbox that it comes from.";
    throw new Fault("validation_failed", { issues: [{ loc: ["path", "target"], msg, type: "same_sandbox" }] });
  }
  const other = target === parent._id ? null : (await sandboxNamed(tenant, target)).entry;
  const source = await opened(entry);
  if (other === null) return { source, target: tenant };
  const { caller, request_id } = tenant;
  const place = await opened(other);
  return { source, target: { ...place, request_id, caller: { ...caller, organization_id: other._id } } };
};
