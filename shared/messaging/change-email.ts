import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { cancelMessage, resendMessage } from "./delivery/person.ts";
import { getMessage } from "./search-messages.ts";

const OBJECTS = ["email_message"] as const;

/**
 * Cancels an email that the caller has sent, or as an administrator any. Raises `message_not_found`, also for one that they
 * may not see, `forbidden` and `message_not_changeable`.
 */
export const cancelEmail = async (tenant: Tenant, id: string) => {
  const message = await getMessage(tenant, id);
  const { caller } = tenant;
  const owner = message.owner as { readonly id?: unknown } | null | undefined;
  if (!caller.is_admin && owner?.id !== caller.id) {
    throw new Fault("forbidden", { message: "Only its sender or an administrator may cancel a message." });
  }
  return cancelMessage(tenant, id, OBJECTS);
};

/** The caller is an administrator. Raises `message_not_found` and `message_not_changeable`. */
export const resendEmail = async (tenant: Tenant, id: string) => {
  await getMessage(tenant, id);
  return resendMessage(tenant, id, OBJECTS);
};
