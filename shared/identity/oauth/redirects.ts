import { env } from "../../env.ts";

const LOOPBACK = new Set(["127.0.0.1", "[::1]"]);

/** RFC 8252 §7.3: a program on the person's own machine takes whatever port is free. */
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

/** Where the browser goes with a code; `iss` tells the client whose code it is (RFC 9207). */
export const redirectWithCode = (uri: string, code: string, state: string | undefined): string => {
  const url = new URL(uri);
  url.searchParams.set("code", code);
  if (state !== undefined) url.searchParams.set("state", state);
  url.searchParams.set("iss", env.issuer());
  return url.href;
};
