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

/** The page where the person signs in; undefined on a platform that has none. */
const pageFor = async (url: string, query: Readonly<Record<string, string>>): Promise<string | undefined> => {
  const reply = await send(url, { method: "POST", path: "/v1/oauth2/code", json: { client_id: CLIENT_ID, ...query } });
  const page = isObject(reply.body) ? textOf(reply.body.code_url) : undefined;
  if (reply.status !== 200 || page === undefined || !/^https?:\/\//.test(page)) return undefined;
  const looked = await fetch(page, { redirect: "manual" }).catch(() => undefined);
  await looked?.body?.cancel();
  return looked && looked.status < 400 ? page : undefined;
};

/** The code in what the browser brought. @throws Failure when it is not the answer to what this command asked */
const codeIn = async (url: string, answer: URLSearchParams, state: string): Promise<string> => {
  const begin = { hint: "Begin anew: tenantry login" };
  const metadata = await send(url, { method: "GET", path: "/.well-known/oauth-authorization-server" });
  const issuer = isObject(metadata.body) ? metadata.body.issuer : undefined;
  const code = answer.get("code");
  // RFC 9700 §4.7, RFC 9207: a code of somebody else's sign-in, or of another platform's.
  const isOurs = answer.get("state") === state && (answer.get("iss") === null || answer.get("iss") === issuer);
  if (!isOurs) throw new Failure("signedOut", "The browser brought the answer to another sign-in.", begin);
  if (code) return code;
  const reason = answer.get("error_description") ?? answer.get("error") ?? "no code came back";
  throw new Failure("signedOut", `You were not signed in: ${plain(reason)}`, begin);
};

/** Signs in in the person's browser: a code with PKCE (RFC 7636, RFC 8252). Undefined where the platform has no page for it. */
export const browserSignIn = async (url: string): Promise<Token | undefined> => {
  const [verifier, state] = [random(), random()];
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const loopback = await listen();
  try {
    const page = await pageFor(url, { redirect_uri: loopback.redirectUri, state, code_challenge });
    if (page === undefined) return undefined;
    say(`Sign in in your browser. If none opens, go to\n\n  ${page}\n\nor sign in here: tenantry login --password`);
    await openBrowser(page).catch(() => undefined);
    const code = await codeIn(url, await loopback.callback, state);
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
