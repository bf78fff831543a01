import { hotp, stepAt } from "#shared/identity/credentials/totp";
import { addUser, createUser, type HttpReply, http, mailsTo, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { bytesOf } from "./base32.ts";

export type Person = Pick<User, "email" | "password">;

/** A pending sign-in. */
export interface Waiting {
  readonly session_id: string;
  /** The number for the device that approves. */
  readonly number: string;
}

export const login = ({ email, password }: Person): Promise<HttpReply> =>
  http.post("/v1/oauth2/login", { form: { username: email, password } });

/** Sends the right password of an account with a second factor. */
export const begin = async ({ email, password }: Person, headers: Record<string, string> = {}): Promise<Waiting> =>
  (await http.post("/v1/oauth2/login", { form: { username: email, password }, headers, expect: 200 })).body;

export const verify = ({ email }: Pick<User, "email">, code: string, session_id?: string): Promise<HttpReply> =>
  http.post("/v1/oauth2/verify-2fa", { body: { email, code, ...(session_id && { session_id }) } });

export const decide = (verb: "approve" | "reject", token: string, body: object): Promise<HttpReply> =>
  http.post(`/v1/oauth2/${verb}-2fa`, { token, body });

/** From the last mail. */
export const mailedCode = async ({ email }: Pick<User, "email">): Promise<string> =>
  /Your code is (\d{6})/.exec((await mailsTo(email)).at(-1)?.text ?? "")?.[1] ?? "";

/** Six digits that differ from all of these. */
export const wrongCode = (...right: readonly string[]): string =>
  ["000000", "111111", "222222", "333333", "444444"].find((code) => !right.includes(code)) ?? "";

/** Signs in a person who is mailed a code. */
export const signInByMail = async (person: Person): Promise<Pick<User, "token" | "refreshToken" | "id">> => {
  const { session_id } = await begin(person);
  const { status, body, text } = await verify(person, await mailedCode(person), session_id);
  if (status !== 200) throw new Error(text);
  return { token: body.access_token, refreshToken: body.refresh_token, id: String(claimsOf(body.access_token).sub) };
};

/** A new member to whom codes are mailed, signed in on one device. */
export const memberWithMail = async (organizationId: string) => {
  const person = await createUser(organizationId, { twoFactor: "email" });
  return { ...person, ...(await signInByMail(person)) };
};

/** The code of an authenticator app at a time or some steps later, because a used code is not accepted again. */
export const appCode = (secret: string, later = 0, at = Date.now()): string =>
  hotp(bytesOf(secret), stepAt(at / 1000) + later);

export interface AuthenticatorApp {
  readonly secret: string;
  /** The code that confirmed it. */
  readonly used: string;
  readonly recovery: string[];
}

/** Sets up an authenticator app. The session then counts as one with a second factor. */
export const setUpApp = async ({ token, password }: Pick<User, "token" | "password">): Promise<AuthenticatorApp> => {
  const { secret } = (await http.post("/v1/auth/totp", { token, body: { password }, expect: 200 })).body;
  const used = appCode(secret);
  const { body } = await http.post("/v1/auth/totp/confirm", { token, body: { code: used }, expect: 200 });
  return { secret, used, recovery: body.recovery_codes };
};

/** A new member with an authenticator app, signed in on one device. */
export const memberWithApp = async (organizationId: string): Promise<User & AuthenticatorApp> => {
  const user = await addUser(organizationId);
  return { ...user, ...(await setUpApp(user)) };
};
