import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import type { Tenant } from "#shared/tenant/tenant";
import { cancelMessage, resendMessage } from "./delivery/person.ts";
import { getMessage } from "./search-messages.ts";

const OBJECTS = ["email_message"] as const;

/**
 * Cancels an email that the caller has sent; administrators may cancel any. Raises `message_not_found`, also for one
 * that the caller may not see, `forbidden` and `message_not_changeable`.
 */
export const cancelEmail = async (tenant: Tenant, id: string) => {
  const message = await getMessage(tenant, id);
  const { caller } = tenant;
  const isOwner = isObject(message.owner) && message.owner.id === caller.id;
  if (!caller.is_admin && !isOwner) {
    throw new Fault("forbidden", { message: "Only its sender or an administrator may cancel a message." });
  }
  return cancelMessage(tenant, id, OBJECTS);
};

/** Sends an email again. The caller is an administrator. Raises `message_not_found` and `message_not_changeable`. */
export const resendEmail = async (tenant: Tenant, id: string) => {
  await getMessage(tenant, id);
  return resendMessage(tenant, id, OBJECTS);
};
