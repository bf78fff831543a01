import { Fault } from "#shared/foundation/faults";
import { retryAfter } from "#shared/foundation/outbound/retry-after";

/** When work that a vendor or another worker holds up is tried again: after so many seconds at least, if they are known. */
export type Later = "later" | { readonly later: number };

/** `vendor_unavailable`, with the time that the vendor asks for. */
export const vendorUnavailable = (
  message: string,
  cause: unknown,
  headers: Readonly<Record<string, string>> = {},
): Fault => {
  const seconds = retryAfter(headers);
  return new Fault("vendor_unavailable", {
    message,
    cause,
    ...(seconds !== undefined && { headers: { "retry-after": String(seconds) } }),
  });
};

export const laterAfter = ({ code, headers }: Fault): Later => {
  const seconds = code === "vendor_unavailable" ? headers["retry-after"] : undefined;
  return seconds === undefined ? "later" : { later: Number(seconds) };
};
