import { describe, expect, it } from "vitest";
import {
  addUser,
  confirmationTokenOf,
  confirmEmail,
  createUser,
  type HttpReply,
  http,
  mailsTo,
  platformUrl,
  registerOrganization,
  signIn,
} from "../../platform.ts";
import { letIn, registerApp } from "./apps.ts";
import { auditOf, confirm, forgot, load, nextPassword, reset } from "./mailbox.ts";
import { owner as company, mongo, useOwner } from "./owner.ts";
import { appCode, begin, mailedCode, setUpApp, verify, wrongCode } from "./second-factors.ts";

useOwner();

const base = () => mongo.db("base");
const mailedTokens = (userId: string) => base().collection("mailed_token").find({ user_id: userId }).toArray();
const isConfirmed = async (email: string): Promise<boolean> =>
  (await base().collection("user").findOne({ email }))?.email_confirmed === true;
const ask = (token: string, headers: Record<string, string> = {}): Promise<HttpReply> =>
  http.post("/v1/auth/email/confirmation", { token, headers });

describe("a registration", () => {
  it("mails a link that confirms the email, without any text that the applicant could choose", async () => {
    const name = "Visit https://evil.example now";
    const user = await registerOrganization(name);
    const [mail, ...more] = await mailsTo(user.email);
    expect(more).toEqual([]);
    expect(mail?.headers.subject).toBe("Confirm your email");
    const token = await confirmationTokenOf(user.email);
    expect(token).toMatch(/^tec_[\w-]{43}$/);
    expect(mail?.text).toContain(`${platformUrl}/v1/sign-in/confirm-email?token=${token}\n`);
    expect(mail?.text).not.toMatch(/evil|Olga/);
    expect((await load(user.token)).user.email_confirmed).toBe(false);
    const [stored] = await mailedTokens(user.id);
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(stored).toMatchObject({ purpose: "email_confirmation", email: user.email });
    expect(stored?.expires_at.getTime() - stored?.created_date.getTime()).toBe(3 * 24 * 60 * 60_000);
  });
});

describe("POST /v1/auth/email/confirm", () => {
  it("204 and 400: confirms the email for one of many concurrent requests, with an audit entry", async () => {
    const user = await registerOrganization();
    await ask(user.token);
    const [first = "", second = ""] = (await mailsTo(user.email)).map(
      ({ text }) => /(tec_\S+)\n\nSomeone/.exec(text)?.[1],
    );
    const replies = await Promise.all([confirm(first), confirm(first), confirm(second), confirm(second)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 400, 400, 400]);
    expect((await load(user.token)).user.email_confirmed).toBe(true);
    expect((await auditOf(user)).filter((type) => type === "email_confirmed")).toHaveLength(1);
    expect(await mailedTokens(user.id)).toEqual([]);
    for (const token of [first, second]) expect((await confirm(token)).body.code).toBe("invalid_confirmation_token");
  });

  it("400: refuses a token that has expired, is of another kind or email, or of a deactivated person", async () => {
    const [late, moved, gone, forgetful] = await Promise.all(Array.from({ length: 4 }, () => registerOrganization()));
    const past = { $set: { expires_at: new Date(Date.now() - 1) } };
    await base().collection("mailed_token").updateMany({ user_id: late?.id }, past);
    const elsewhere = { $set: { email: "elsewhere@example.test" } };
    await base().collection("mailed_token").updateMany({ user_id: moved?.id }, elsewhere);
    await base()
      .collection("user")
      .updateOne({ email: gone?.email }, { $set: { is_active: false } });
    const tokens = await Promise.all([late, moved, gone].map((user) => confirmationTokenOf(user?.email ?? "")));
    for (const token of [...tokens, "tec_unknown", await forgot(forgetful?.email ?? ""), company.refreshToken]) {
      expect((await confirm(token)).body.code).toBe("invalid_confirmation_token");
    }
    for (const user of [late, moved, gone, forgetful]) expect(await isConfirmed(user?.email ?? "")).toBe(false);
  });

  it("its token neither gives access nor sets a password", async () => {
    const { email } = await registerOrganization();
    const token = await confirmationTokenOf(email);
    expect((await reset(token)).body.code).toBe("invalid_reset_token");
    expect((await http.get("/v1/auth/load", { token })).status).toBe(401);
    expect((await confirm(token)).status).toBe(204);
  });

  it("403 and 429: requires the account's password, so that a click on the link is not enough for a stranger", async () => {
    const user = await registerOrganization();
    const token = await confirmationTokenOf(user.email);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect((await confirm(token, "what its owner would guess")).body.code).toBe("wrong_password");
    }
    expect(await isConfirmed(user.email)).toBe(false);
    expect((await confirm(token)).status).toBe(204);

    const other = await registerOrganization();
    const link = await confirmationTokenOf(other.email);
    for (let attempt = 0; attempt < 5; attempt += 1) await confirm(link, "what its owner would guess");
    const refused = await confirm(link);
    expect(refused.body.code).toBe("too_many_attempts");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(800);
  });

  it("422: requires a token and a password", async () => {
    const { body, status } = await http.post("/v1/auth/email/confirm", { body: {} });
    expect([status, body.detail.map(({ loc }: { loc: string[] }) => loc[1])]).toEqual([422, ["token", "password"]]);
  });
});

describe("POST /v1/auth/email/confirmation", () => {
  it("202 and 429: mails another link until three are valid", async () => {
    const user = await registerOrganization();
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask(user.token)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429, 429]);
    expect(await mailsTo(user.email)).toHaveLength(3);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe("too_many_attempts");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(2 * 24 * 60 * 60);
    const past = { $set: { expires_at: new Date(Date.now() - 1) } };
    await base().collection("mailed_token").updateMany({ user_id: user.id }, past);
    expect((await ask(user.token)).status).toBe(202);
    expect((await confirm(await confirmationTokenOf(user.email))).status).toBe(204);
  });

  it("sends one mail for a request that is repeated with its Idempotency-Key", async () => {
    const user = await addUser(company.organizationId);
    const replies = [
      await ask(user.token, { "idempotency-key": "k" }),
      await ask(user.token, { "idempotency-key": "k" }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    expect(await mailsTo(user.email)).toHaveLength(1);
  });

  it("409: does nothing for an email that is confirmed", async () => {
    const user = await addUser(company.organizationId);
    await confirmEmail(user);
    expect((await ask(user.token)).body.code).toBe("email_confirmed");
    expect(await mailsTo(user.email)).toHaveLength(1);
  });

  it("403: is not for apps", async () => {
    const { access_token } = await letIn(company.token, await registerApp(company.token, { scopes: ["all"] }));
    expect((await ask(access_token)).body.code).toBe("app_not_allowed");
  });
});

describe("an email is confirmed too", () => {
  it("by a sign-in with a mailed code, and not by a wrong code", async () => {
    const person = await createUser(company.organizationId, { twoFactor: "email" });
    const { session_id } = await begin(person);
    const code = await mailedCode(person);
    expect((await verify(person, wrongCode(code), session_id)).status).toBe(401);
    expect(await isConfirmed(person.email)).toBe(false);
    const token = (await verify(person, code, session_id)).body.access_token;
    expect((await load(token)).user.email_confirmed).toBe(true);
    expect(await auditOf({ token })).toContain("email_confirmed");
  });

  it("by a new password with a mailed token, after which no confirmation link works", async () => {
    const user = await registerOrganization();
    expect((await reset(await forgot(user.email))).status).toBe(204);
    expect((await load((await signIn(user.email, nextPassword)).token)).user.email_confirmed).toBe(true);
    expect((await confirm(await confirmationTokenOf(user.email))).status).toBe(400);
  });

  it("by none of: the password, a code of an authenticator app, a changed password", async () => {
    const user = await registerOrganization();
    const { secret } = await setUpApp(user);
    const { session_id } = await begin(user);
    expect((await verify(user, appCode(secret, 1), session_id)).status).toBe(200);
    const passwords = { current_password: user.password, password: nextPassword };
    await http.post("/v1/auth/password", { token: user.token, body: passwords, expect: 204 });
    expect(await isConfirmed(user.email)).toBe(false);
    expect((await confirm(await confirmationTokenOf(user.email), nextPassword)).status).toBe(204);
  });
});
