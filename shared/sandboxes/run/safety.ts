import type { Document } from "mongodb";
import { configurationKinds } from "#contracts/sandbox-bodies";
import { LEDGER_COLLECTION, type Replacement } from "#shared/tenant/tenant";
import { organizationPipeline } from "../copying/people.ts";
import { copyAs } from "./copy.ts";
import { completeStep, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";
import { refuseSecrets } from "./refuse-secrets.ts";

/** Numbers go on where those of the parent are. */
const numbersPipeline: Document[] = [{ $match: { _id: { $regex: `^(?:${configurationKinds.join("|")})[.]` } } }];

/** Makes what the sandbox has of its own, and checks that no secret came along. */
export const applySafetyStep = async (
  input: RunInput & { readonly copies: readonly Replacement[]; readonly users: Replacement },
): Promise<{ copies: Replacement[] }> => {
  const entry = await holdRun(input, "apply-safety");
  const provisioning = await provisioningOf(entry);
  const own = [
    await copyAs(entry, provisioning, "organization", organizationPipeline(entry)),
    await copyAs(entry, provisioning, "record_counter", numbersPipeline),
    await copyAs(entry, provisioning, LEDGER_COLLECTION, []),
  ];
  const copies = [...input.copies, input.users, ...own];
  await refuseSecrets(provisioning, copies);
  await completeStep(input, "apply-safety");
  return { copies };
};
