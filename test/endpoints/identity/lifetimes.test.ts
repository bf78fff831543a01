import { expect, it } from "vitest";
import { addUser, createUser, http } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { askToken, consent, letIn, proofKey, registerApp } from "./apps.ts";
import { mongo, owner, useOwner } from "./owner.ts";

useOwner();

const MINUTE = 60_000;
const MONTH = 30 * 24 * 60 * MINUTE;

interface Lived {
  _id: string;
  created_date: Date;
  expires_at: Date;
}

const stored = (name: string) => mongo.db("base").collection<Lived>(name);
const sidOf = (token: string): string => String(claimsOf(token).sid);
const lifeOf = ({ created_date, expires_at }: Lived): number => expires_at.getTime() - created_date.getTime();

const sessionOf = async (token: string): Promise<Lived> => {
  const session = await stored("session").findOne({ _id: sidOf(token) });
  if (session === null) throw new Error("The token has no session.");
  return session;
};

/** When each refresh token of a session ends. */
const endsOf = async (token: string): Promise<number[]> => {
  const tokens = await stored("refresh_token")
    .find({ session_id: sidOf(token) } as object)
    .toArray();
  return tokens.map(({ expires_at }) => expires_at.getTime());
};

it("a session ends 30 days after the sign-in, however often it is refreshed and switched", async () => {
  const user = await addUser(owner.organizationId);
  const begun = await sessionOf(user.token);
  expect(lifeOf(begun)).toBe(MONTH);
  await http.post("/v1/oauth2/refresh", { body: { refresh_token: user.refreshToken }, expect: 200 });
  await http.post("/v1/auth/switch", { token: user.token, body: { id: owner.organizationId }, expect: 200 });
  expect((await sessionOf(user.token)).expires_at).toEqual(begun.expires_at);
  const end = begun.expires_at.getTime();
  expect(await endsOf(user.token)).toEqual([end, end]);
});

it("an app's session ends after 30 days, however often its token is rotated", async () => {
  const app = await registerApp(owner.token);
  const { client_id, client_secret } = app;
  let { access_token, refresh_token } = await letIn(owner.token, app);
  const begun = await sessionOf(access_token);
  expect(lifeOf(begun)).toBe(MONTH);
  for (let round = 0; round < 3; round += 1) {
    const form = { grant_type: "refresh_token", client_id, client_secret, refresh_token };
    ({ access_token, refresh_token } = (await askToken(form)).body);
  }
  expect((await sessionOf(access_token)).expires_at).toEqual(begun.expires_at);
  expect(new Set(await endsOf(access_token))).toEqual(new Set([begun.expires_at.getTime()]));
});

it("the session of a client that acts alone ends with its token", async () => {
  const { client_id, client_secret } = await registerApp(owner.token, { run_as: owner.id });
  const { body } = await askToken({ grant_type: "client_credentials", client_id, client_secret });
  expect(lifeOf(await sessionOf(body.access_token))).toBe(body.expires_in * 1000);
  expect(await endsOf(body.access_token)).toEqual([]);
});

it("a code for an app expires after a minute", async () => {
  const app = await registerApp(owner.token);
  const { challenge } = proofKey();
  await consent(owner.token, app, { code_challenge: challenge, code_challenge_method: "S256" });
  const codes = await stored("authorization_code")
    .find({ client_id: app.client_id } as object)
    .toArray();
  expect(codes).toHaveLength(1);
  for (const code of codes) {
    expect(lifeOf(code)).toBeGreaterThanOrEqual(MINUTE);
    expect(lifeOf(code)).toBeLessThanOrEqual(MINUTE + 1000);
  }
});

it("a sign-in waits ten minutes for its second factor, and a password reset link works for thirty", async () => {
  const { email, password } = await createUser(owner.organizationId, { twoFactor: "email" });
  await http.post("/v1/oauth2/login", { form: { username: email, password }, expect: 200 });
  await http.post("/v1/forgot-password", { body: { email }, expect: 202 });
  const user_id = (
    await mongo
      .db("base")
      .collection<{ _id: string }>("user")
      .findOne({ email } as object)
  )?._id;
  for (const [name, minutes] of [
    ["login_request", 10],
    ["mailed_token", 30],
  ] as const) {
    const lives = async () => {
      const found = await stored(name)
        .find({ user_id } as object)
        .toArray();
      return found.map(lifeOf);
    };
    // The link is made by a queue.
    await expect.poll(lives, { interval: 50 }).toEqual([minutes * MINUTE]);
  }
});
