import { hotp, stepAt } from "../../../shared/identity/totp.ts";
import { createUser, type HttpReply, http, mailsTo } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { bytesOf } from "./base32.ts";

/** Somebody who knows a person's email and password. */
export interface Guesser {
  readonly email: string;
  readonly password: string;
}

const login = ({ email, password }: Guesser): Promise<HttpReply> =>
  http.post("/v1/oauth2/login", { form: { username: email, password } });

export interface Waiting {
  readonly session_id: string;
  readonly number: string;
}

/** Begins as many sign-ins as the platform allows, up to `count`, all at once. */
export const beginMany = async (guesser: Guesser, count: number): Promise<Waiting[]> => {
  const replies = await Promise.all(Array.from({ length: count }, () => login(guesser)));
  return replies.filter(({ status }) => status === 200).map(({ body }) => body);
};

export const begin = async (guesser: Guesser): Promise<Waiting> => {
  const [waiting] = await beginMany(guesser, 1);
  if (waiting === undefined) throw new Error("the sign-in was refused");
  return waiting;
};

export const verify = ({ email }: Pick<Guesser, "email">, code: string, session_id?: string): Promise<HttpReply> =>
  http.post("/v1/oauth2/verify-2fa", { body: { email, code, ...(session_id && { session_id }) } });

export const mailedCode = (email: string): string =>
  /Your code is (\d{6})/.exec(mailsTo(email).at(-1)?.text ?? "")?.[1] ?? "";

/** A person to whom codes are mailed, signed in on one device. */
export const signedInByMail = async (organizationId: string): Promise<Guesser & { token: string; id: string }> => {
  const person = await createUser(organizationId, { twoFactor: "email" });
  const { session_id } = await begin(person);
  const { body } = await verify(person, mailedCode(person.email), session_id);
  const token = String(body.access_token);
  return { ...person, token, id: String(claimsOf(token).sub) };
};

/** Six digits that are none of these. */
export const wrongCode = (...right: readonly string[]): string =>
  ["000000", "111111", "222222", "333333", "444444"].find((code) => !right.includes(code)) ?? "";

/** The app's code of the step that is `later` than a moment's. */
export const appCode = (secret: string, later = 0, at = Date.now()): string =>
  hotp(bytesOf(secret), stepAt(at / 1000) + later);

export interface Guesses {
  readonly minute: number;
  readonly count: number;
}

/** The most that fall into one hour. */
export const worstHour = (guesses: readonly Guesses[]): number =>
  Math.max(
    ...guesses.map(({ minute: from }) =>
      guesses.reduce((sum, { minute, count }) => (minute >= from && minute < from + 60 ? sum + count : sum), 0),
    ),
  );
