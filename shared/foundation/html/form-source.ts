/** The characters that a policy may contain in a host. Others, such as `;` or `*`, would end or widen the directive. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/;

/**
 * The CSP source that allows a form's redirect to a URL (https://www.w3.org/TR/CSP3/#grammardef-source-list); undefined
 * for a URL that cannot be named in a policy. It is built from the parsed host, because `URL.origin` keeps `;` and
 * decodes `%2A`.
 */
export const formSource = (address: string): string | undefined => {
  const { protocol, hostname, host } = new URL(address);
  // The scheme alone: an app's own scheme has no host, and CSP has no syntax for an IPv6 loopback address.
  if (protocol !== "https:" && (protocol !== "http:" || hostname === "[::1]")) return protocol;
  return HOST.test(host) ? `${protocol}//${host}` : undefined;
};
