import { env } from "#shared/foundation/env";

const LOOPBACK = new Set(["127.0.0.1", "[::1]"]);

/** RFC 8252 §7.3: a program on the person's own machine may use any port. */
const withoutLoopbackPort = (uri: string): string => {
  const url = new URL(uri);
  if (url.protocol === "http:" && LOOPBACK.has(url.hostname)) url.port = "";
  return url.href;
};

/** RFC 9700 §2.1: exactly a registered one, but for the port of a loopback address. */
export const isRegistered = (uri: string, registered: readonly string[]): boolean => {
  if (registered.includes(uri)) return true;
  if (!URL.canParse(uri) || new URL(uri).hash !== "") return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (protocol !== "http:" || !LOOPBACK.has(hostname) || username !== "" || password !== "") return false;
  return registered.some((one) => withoutLoopbackPort(one) === withoutLoopbackPort(uri));
};

/** `iss` tells the client whose answer it is (RFC 9207). */
const redirectWith = (uri: string, answer: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(uri);
  const parameters = { ...answer, iss: env.issuer() };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
};

/** The redirect with a code. */
export const redirectWithCode = (uri: string, code: string, state: string | undefined): string =>
  redirectWith(uri, { code, state });

export interface AuthorizationRefusal {
  /** RFC 6749 §4.1.2.1. */
  readonly error: "invalid_request" | "invalid_scope" | "unsupported_response_type" | "access_denied";
  readonly error_description: string;
}

/** The redirect with a refusal. */
export const redirectWithRefusal = (uri: string, refusal: AuthorizationRefusal, state: string | undefined): string =>
  redirectWith(uri, { ...refusal, state });
