import { openProvisioning, type Provisioning } from "#shared/tenant/provisioning/provisioning";
import type { RegisteredSandbox } from "../registry.ts";

/** The databases of a sandbox and its parent. A sandbox is on the cluster of its parent. */
export const provisioningOf = ({ _id, parent_organization_id, cluster }: RegisteredSandbox): Promise<Provisioning> =>
  openProvisioning({ sandbox_id: _id, parent_id: parent_organization_id, cluster });
