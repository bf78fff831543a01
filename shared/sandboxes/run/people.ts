import { Fault } from "#shared/foundation/faults";
import type { Replacement } from "#shared/tenant/tenant";
import { isCloned, usersPipeline } from "../copying/people.ts";
import { copyAs, indexCopy, LONGEST_COPY_MS, schemaInParent } from "./copy.ts";
import { completeStep, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";

const USER = "user";

/** The parent's active administrators, and the users that the sandbox has, if they are still active in the parent. */
export const copyUsersStep = async (input: RunInput): Promise<Replacement> => {
  const entry = await holdRun(input, "copy-users", LONGEST_COPY_MS);
  const provisioning = await provisioningOf(entry);
  const schema = await schemaInParent(provisioning, USER);
  if (schema === null) throw new Fault("internal_error", { message: "The parent organization has no users." });
  const present = await provisioning.ids(USER);
  const pipeline = [{ $match: isCloned(present) }, ...usersPipeline(entry, schema)];
  const copy = await copyAs(entry, provisioning, USER, pipeline);
  await indexCopy(provisioning, copy, schema);
  await completeStep(input, "copy-users");
  return copy;
};
