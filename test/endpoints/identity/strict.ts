import { hotp, stepAt } from "../../../shared/identity/totp.ts";
import {
  addUser,
  type HttpReply,
  http,
  joinOrganization,
  mailsTo,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { bytesOf } from "./base32.ts";

type Person = Pick<User, "email" | "password">;

/** The code that an authenticator app shows, or will show some steps later: one that was used is not accepted again. */
export const appCode = (secret: string, later = 0): string => hotp(bytesOf(secret), stepAt(Date.now() / 1000) + later);

/** Sets up an authenticator app; the session counts as one with a second factor from then on. */
export const setUpApp = async ({ token, password }: Pick<User, "token" | "password">): Promise<string> => {
  const { secret } = (await http.post("/v1/auth/totp", { token, body: { password }, expect: 200 })).body;
  await http.post("/v1/auth/totp/confirm", { token, body: { code: appCode(secret) }, expect: 200 });
  return secret;
};

export const writeSettings = (
  { token, organizationId }: Pick<User, "token" | "organizationId">,
  settings: unknown,
): Promise<HttpReply> => http.patch(`/v1/object/organization/${organizationId}`, { token, body: { settings } });

/** Makes the organization require a second factor of everybody, or none any more. */
export const requireFactor = async (owner: User, required = true): Promise<void> => {
  const reply = await writeSettings(owner, { require_second_factor: required });
  if (reply.status !== 200) throw new Error(reply.text);
};

export const login = ({ email, password }: Person): Promise<HttpReply> =>
  http.post("/v1/oauth2/login", { form: { username: email, password } });

/** From the last mail. */
export const mailedCode = ({ email }: Pick<User, "email">): string =>
  /Your code is (\d{6})/.exec(mailsTo(email).at(-1)?.text ?? "")?.[1] ?? "";

export const verify = ({ email }: Pick<User, "email">, session_id: string, code: string): Promise<HttpReply> =>
  http.post("/v1/oauth2/verify-2fa", { body: { email, session_id, code } });

/** Signs somebody in who is mailed a code; answers their tokens. */
export const signInByMail = async (person: Person): Promise<{ token: string; refreshToken: string }> => {
  const { session_id } = (await login(person)).body;
  const { status, body, text } = await verify(person, session_id, mailedCode(person));
  if (status !== 200) throw new Error(text);
  return { token: body.access_token, refreshToken: body.refresh_token };
};

/** An organization that requires a second factor, with its owner, who has an authenticator app. */
export const strictOrganization = async (): Promise<User> => {
  const owner = await registerOrganization("Strict");
  await setUpApp(owner);
  await requireFactor(owner);
  return owner;
};

/** A member of the first owner's organization, signed in there, and then of another one as well. */
export const alsoIn = async ({ organizationId }: User, other: string): Promise<User> => {
  const user = await addUser(organizationId);
  await joinOrganization(user, other);
  return user;
};
