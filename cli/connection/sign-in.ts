import { setTimeout as pause } from "node:timers/promises";
import type * as z from "zod";
import type { signInStatus, twoFactorResponse } from "#contracts/second-factor-bodies";
import { Failure } from "../failure.ts";
import { isObject } from "../json.ts";
import { askText } from "../terminal/prompt.ts";
import { canAsk, say, tint, warn } from "../terminal/terminal.ts";
import { plain } from "../terminal/text.ts";
import { type Reply, refusal, send } from "./request.ts";
import { isToken, type Token } from "./tokens.ts";

type Challenge = z.output<typeof twoFactorResponse>;
type SignInStatus = z.output<typeof signInStatus>;

const TRIES = 3;
const POLL_MS = 2_000;

const isChallenge = (body: unknown): body is Challenge =>
  isObject(body) &&
  body.two_fa_required === true &&
  typeof body.session_id === "string" &&
  typeof body.number === "string";

const tokenIn = (url: string, reply: Reply): Token => {
  if (reply.status === 200 && isToken(reply.body)) return reply.body;
  throw refusal(url, reply);
};

const verify = (url: string, email: string, challenge: Challenge, code: string): Promise<Reply> =>
  send(url, {
    method: "POST",
    path: "/v1/oauth2/verify-2fa",
    json: { email, code: code.replace(/\s/g, ""), session_id: challenge.session_id },
    retries: 0,
  });

/** Waits until the person approves this sign-in on another device. Does not end if nobody decides. */
const approval = async (url: string, email: string, challenge: Challenge, signal: AbortSignal): Promise<Token> => {
  const query = new URLSearchParams({ email, session_id: challenge.session_id });
  for (;;) {
    await pause(POLL_MS, undefined, { signal });
    const reply = await send(url, { method: "GET", path: `/v1/oauth2/login-status?${query}`, repeatable: true });
    if (reply.status !== 200) throw refusal(url, reply);
    const { status, token } = reply.body as SignInStatus;
    if (token) return token;
    if (status !== "pending")
      throw new Failure("signedOut", `This sign-in was ${status}.`, { hint: "Begin anew: tenantry login" });
  }
};

/** Asks for a code up to three times. */
const typedCode = async (url: string, email: string, challenge: Challenge, signal: AbortSignal): Promise<Token> => {
  const question = { message: "The code from your mail or authenticator app", otherwise: "Use --code." };
  for (let tried = 1; ; tried += 1) {
    const reply = await verify(url, email, challenge, await askText(question, { signal }));
    if (reply.status !== 401 || tried === TRIES) return tokenIn(url, reply);
    warn(refusal(url, reply).message);
  }
};

/** The second factor: the code of the option, a typed one, or approval on a signed-in device. */
const secondFactor = async (url: string, email: string, challenge: Challenge, given?: string): Promise<Token> => {
  if (given !== undefined) return tokenIn(url, await verify(url, email, challenge, given));
  if (!canAsk()) {
    throw new Failure("signedOut", "This account has a second factor.", {
      hint: "Give the code of your authenticator app with --code, or sign in on a terminal.",
    });
  }
  say(
    `Type the code below, or approve this sign-in where you are signed in: its number is ${tint.bold(plain(challenge.number))}`,
  );
  const decided = new AbortController();
  try {
    return await Promise.race([
      typedCode(url, email, challenge, decided.signal),
      approval(url, email, challenge, decided.signal),
    ]);
  } finally {
    decided.abort();
  }
};

/** Signs in with email and password. @throws Failure when the platform refuses */
export const signIn = async (url: string, email: string, password: string, code?: string): Promise<Token> => {
  const reply = await send(url, {
    method: "POST",
    path: "/v1/oauth2/login",
    form: { username: email, password },
    // A retry could count as a second failed attempt.
    retries: 0,
  });
  if (reply.status === 401) {
    throw new Failure("signedOut", refusal(url, reply).message, { hint: "Check both, and try again: tenantry login" });
  }
  if (reply.status === 200 && isChallenge(reply.body)) return secondFactor(url, email, reply.body, code);
  return tokenIn(url, reply);
};
