import { Fault } from "../faults.ts";

/** Names of request headers that tenants' code may set, besides those that begin with `x-`. */
const allowed = new Set([
  "accept",
  "accept-language",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-unmodified-since",
  "prefer",
  "user-agent",
]);

/** Names that the platform's own infrastructure, and proxies, give a meaning to. */
const reserved = /^x-(?:amz|amzn|forwarded|real-ip|original|http-method|method|rewrite)/;

const token = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/;
/** Visible ASCII, spaces and tabs. */
const text = /^[\t\x20-\x7e]*$/;
const MOST_HEADERS = 30;
const MOST_BYTES = 8 * 1024;

const refused = (message: string): Fault => new Fault("integration_refused", { message });

export const isHeaderText = (value: string): boolean => text.test(value);

/** A header that the platform may set on behalf of an administrator: none that frames or routes the message. */
export const isCredentialHeader = (name: string): boolean =>
  token.test(name) &&
  !/^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|cookie)$/.test(
    name,
  ) &&
  !reserved.test(name);

/** Headers of a caller, with names in lower case. @throws Fault integration_refused that names the header */
export const checkedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (all.length > MOST_HEADERS) throw refused(`A request may have ${MOST_HEADERS} headers.`);
  let bytes = 0;
  for (const [name, value] of all) {
    const isAllowed = allowed.has(name) || (name.startsWith("x-") && token.test(name) && !reserved.test(name));
    if (!isAllowed) throw refused(`The header ${JSON.stringify(name.slice(0, 100))} cannot be set.`);
    if (!isHeaderText(value)) throw refused(`The header ${name} has characters that headers cannot have.`);
    bytes += name.length + value.length;
  }
  if (bytes > MOST_BYTES) throw refused(`The headers of a request may have ${MOST_BYTES} bytes together.`);
  return Object.fromEntries(all);
};
