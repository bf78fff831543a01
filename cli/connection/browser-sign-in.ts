import { createHash, randomBytes } from "node:crypto";
import { Failure } from "../failure.ts";
import { isObject, textOf } from "../json.ts";
import { openBrowser } from "../terminal/browser.ts";
import { say } from "../terminal/terminal.ts";
import { plain } from "../terminal/text.ts";
import { listen } from "./loopback.ts";
import { refusal, send } from "./request.ts";
import { CLIENT_ID, isToken, type Token } from "./tokens.ts";

const random = (): string => randomBytes(32).toString("base64url");

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Treats the names of the loopback address as equal. */
const isSame = (one: string, other: string): boolean => {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  const near = LOOPBACK.has(a.hostname) && LOOPBACK.has(b.hostname);
  return near ? a.protocol === b.protocol && a.port === b.port && a.pathname === b.pathname : a.href === b.href;
};

/**
 * The issuer of the platform's tokens. @throws Failure if it is another platform, which could otherwise get the codes
 * (RFC 8414 §3.3, RFC 9700 §4.4)
 */
const issuerOf = async (url: string): Promise<string> => {
  const metadata = await send(url, { method: "GET", path: "/.well-known/oauth-authorization-server" });
  const issuer = isObject(metadata.body) ? textOf(metadata.body.issuer) : undefined;
  if (metadata.status !== 200 || issuer === undefined) throw refusal(url, metadata);
  if (isSame(issuer, url)) return issuer;
  throw new Failure("refused", `The platform at ${url} says that it is ${plain(issuer)}.`, {
    hint: `If you trust that address, use it: tenantry login --url ${plain(issuer)}`,
  });
};

/** The URL of the sign-in page. */
const pageFor = async (url: string, query: Readonly<Record<string, string>>): Promise<string> => {
  const reply = await send(url, { method: "POST", path: "/v1/oauth2/code", json: { client_id: CLIENT_ID, ...query } });
  const page = isObject(reply.body) ? textOf(reply.body.code_url) : undefined;
  if (reply.status === 200 && page !== undefined && /^https?:\/\//.test(page)) return page;
  throw refusal(url, reply);
};

/** The code in the redirect. @throws Failure if it is not the response to this command's request */
const codeIn = (answer: URLSearchParams, state: string, issuer: string): string => {
  const begin = { hint: "Begin anew: tenantry login" };
  const code = answer.get("code");
  // RFC 9700 §4.7, RFC 9207: the code belongs to another sign-in, or another platform.
  if (answer.get("state") !== state || answer.get("iss") !== issuer)
    throw new Failure("signedOut", "The browser brought the answer to another sign-in.", begin);
  if (code) return code;
  const reason = answer.get("error_description") ?? answer.get("error") ?? "no code came back";
  throw new Failure("signedOut", `You were not signed in: ${plain(reason)}`, begin);
};

/** Signs in in the person's browser: a code with PKCE (RFC 7636, RFC 8252). */
export const browserSignIn = async (url: string): Promise<Token> => {
  const [verifier, state] = [random(), random()];
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const issuer = await issuerOf(url);
  const loopback = await listen();
  try {
    const page = await pageFor(url, { redirect_uri: loopback.redirectUri, state, code_challenge });
    say(`Sign in in your browser. If none opens, go to\n\n  ${page}\n\nor sign in here: tenantry login --password`);
    await openBrowser(page).catch(() => undefined);
    const code = codeIn(await loopback.callback, state, issuer);
    const reply = await send(url, {
      method: "POST",
      path: "/v1/oauth2/token",
      json: {
        grant_type: "authorization_code",
        client_id: CLIENT_ID,
        code,
        redirect_uri: loopback.redirectUri,
        code_verifier: verifier,
      },
    });
    if (reply.status === 200 && isToken(reply.body)) return reply.body;
    throw refusal(url, reply);
  } finally {
    loopback.close();
  }
};
