import type * as z from "zod";
import { Fault } from "#shared/foundation/faults";
import { redactionOf } from "#shared/foundation/outbound/redact";
import { type OutboundReply, type OutboundRequest, outboundRequest } from "#shared/foundation/outbound/request";
import type { Answer } from "./vendor.ts";

/** The value of a credential, in the form of its provider. Raises an error that tells nothing of the value. */
export const credentialValue = <S extends z.ZodType>(schema: S, value: unknown, provider: string): z.output<S> => {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new Error(`The value of the credential does not have the form of the provider ${provider}.`);
  return parsed.data;
};

/** JSON in the form of a schema; undefined if it is another one. */
export const parsedAs = <S extends z.ZodType>(schema: S, text: string): z.output<S> | undefined => {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

type VendorRequest = Omit<OutboundRequest, "onConnected"> & {
  /** What must not be in anything that the vendor says. */
  readonly secrets: readonly string[];
};

/** A reply of a vendor, without secrets; or what it means that there is none. */
export type VendorReply =
  | { readonly reply: { readonly status: number; readonly headers: OutboundReply["headers"]; readonly text: string } }
  | { readonly answer: Extract<Answer, { outcome: "refused" | "retry" | "unclear" }> };

/** One request to a vendor. */
export const callVendor = async ({ secrets, ...request }: VendorRequest): Promise<VendorReply> => {
  const redaction = redactionOf(secrets);
  let isConnected = false;
  const onConnected = (): void => {
    isConnected = true;
  };
  try {
    const { status, headers, body } = await outboundRequest({ ...request, onConnected });
    return { reply: { status, headers, text: redaction.text(body.toString("utf8")) } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const reason = redaction.text(error.message);
    if (error.code === "integration_refused") return { answer: { outcome: "refused", reason } };
    return { answer: { outcome: isConnected ? "unclear" : "retry", reason } };
  }
};

/** What a status means of which the vendor's own adapter knows no more. */
export const answerOfStatus = (
  status: number,
  reason: string,
  after_s?: number,
): Extract<Answer, { outcome: "refused" | "retry" | "unclear" }> => {
  const text = `The vendor answered ${status}: ${reason}`;
  if ([408, 425, 429, 500, 503].includes(status)) {
    return { outcome: "retry", reason: text, ...(after_s !== undefined && { after_s }) };
  }
  // A gateway may have given it to the vendor before it failed.
  if (status >= 500) return { outcome: "unclear", reason: text };
  return { outcome: "refused", reason: text };
};
