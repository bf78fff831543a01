/** What a host may consist of in a policy. Anything else, such as `;` or `*`, would end or widen the directive. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/;

/**
 * The CSP source that lets a form's answer lead to an address (https://www.w3.org/TR/CSP3/#grammardef-source-list); undefined
 * for an address that a policy cannot name. It is built from the parsed host, since `URL.origin` keeps `;` and decodes `%2A`.
 */
export const formSource = (address: string): string | undefined => {
  const { protocol, hostname, host } = new URL(address);
  // The scheme alone: an app's own scheme has no host, and a policy has no word for an IPv6 loopback address.
  if (protocol !== "https:" && (protocol !== "http:" || hostname === "[::1]")) return protocol;
  return HOST.test(host) ? `${protocol}//${host}` : undefined;
};
