import * as z from "zod";
import { isObject } from "#shared/foundation/is-object";

/** https://docs.stripe.com/api/events/object, as far as it is used. What it says about the object's state is not. */
const eventSchema = z.object({
  id: z.string().min(1).max(200),
  type: z.string().min(1).max(200),
  data: z.object({ object: z.record(z.string(), z.unknown()).optional() }).optional(),
});

type BillingHookEvent = z.output<typeof eventSchema>;

/** Raises an error if it is none: then it ends in the dead-letter queue. */
export const parseEvent = (body: Uint8Array): BillingHookEvent =>
  eventSchema.parse(JSON.parse(Buffer.from(body).toString("utf8")));

/** How an event is called. Of a body that is none, nothing. */
export const headOf = (body: Uint8Array): { readonly id: string | null; readonly type: string } => {
  try {
    const { id, type } = parseEvent(body);
    return { id, type };
  } catch {
    return { id: null, type: "unknown" };
  }
};

const idOf = (reference: unknown): string | null => {
  if (typeof reference === "string") return reference;
  return isObject(reference) && typeof reference.id === "string" ? reference.id : null;
};

/** The customer whom an event is about, or null. */
export const customerOf = ({ data }: BillingHookEvent): string | null => {
  const about = data?.object;
  return about?.object === "customer" ? idOf(about) : idOf(about?.customer);
};
