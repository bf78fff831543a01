import { describe, expect, it } from "vitest";
import { addUser, createUser, http, mailsTo, platformUrl, signIn } from "../../platform.ts";
import { letIn, registerApp } from "./apps.ts";
import { nextPassword, reset, resetTokenOf } from "./mailbox.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { newEmail } from "./people.ts";

useOwner();

const load = async (token: string) => (await http.get("/v1/auth/load", { token })).status;
const login = async (email: string, password: string) =>
  (await http.post("/v1/oauth2/login", { form: { username: email, password } })).status;
const change = (token: string, current_password: string, password: string) =>
  http.post("/v1/auth/password", { token, body: { current_password, password } });
const forgot = (email: string) => http.post("/v1/forgot-password", { body: { email } });

describe("POST /v1/auth/password", () => {
  it("changes the password and ends every other session, including apps and codes", async () => {
    const user = await addUser(owner.organizationId);
    const other = await signIn(user.email);
    const app = await registerApp(owner.token);
    const granted = await letIn(user.token, app);
    expect((await change(user.token, user.password, nextPassword)).status).toBe(204);
    expect(await load(user.token)).toBe(200);
    expect(await load(other.token)).toBe(401);
    expect(await load(granted.access_token)).toBe(401);
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token: user.refreshToken } })).status).toBe(200);
    expect(await login(user.email, user.password)).toBe(401);
    expect(await login(user.email, nextPassword)).toBe(200);
  });

  it("403 and 422: requires the current password, and a new one that the policy accepts", async () => {
    const user = await addUser(owner.organizationId);
    expect((await change(user.token, "some wrong password", nextPassword)).body.code).toBe("wrong_password");
    const short = await change(user.token, user.password, "short");
    expect(short.body.detail[0]).toMatchObject({ loc: ["body", "password"], type: "password_too_short" });
    expect((await change(user.token, user.password, user.email)).status).toBe(422);
    expect(await login(user.email, user.password)).toBe(200);
  });
});

describe("POST /v1/forgot-password", () => {
  it("gives the same answer for every address, and mails only to accounts", async () => {
    const { email } = await createUser(owner.organizationId);
    const unknown = newEmail();
    const [known, nobody] = [await forgot(email), await forgot(unknown)];
    expect([known.status, known.text]).toEqual([202, nobody.text]);
    expect(nobody.status).toBe(202);
    expect(await mailsTo(unknown)).toEqual([]);
    const [mail] = await mailsTo(email);
    expect(mail?.headers.subject).toBe("Set a new password");
    expect(mail?.text).toContain(`${platformUrl}/v1/sign-in/reset-password?token=${await resetTokenOf(email)}\n`);
    const stored = JSON.stringify(await mongo.db("base").collection("mailed_token").find().toArray());
    expect(stored).not.toContain(await resetTokenOf(email));
  });

  it("mails at most three valid links at a time", async () => {
    const { email } = await createUser(owner.organizationId);
    const replies = await Promise.all(Array.from({ length: 6 }, () => forgot(email)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await mailsTo(email)).toHaveLength(3);
  });
});

describe("POST /v1/reset-password", () => {
  it("sets a new password once, and ends every session", async () => {
    const user = await addUser(owner.organizationId);
    await forgot(user.email);
    const token = await resetTokenOf(user.email);
    expect((await reset(token, "short")).status).toBe(422);
    const replies = await Promise.all([reset(token), reset(token), reset(token)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 400, 400]);
    expect(await load(user.token)).toBe(401);
    expect(await login(user.email, user.password)).toBe(401);
    expect(await login(user.email, nextPassword)).toBe(200);
    expect((await reset(token)).body.code).toBe("invalid_reset_token");
  });

  it("does not change the second factor", async () => {
    const { email } = await createUser(owner.organizationId, { twoFactor: "email" });
    await forgot(email);
    expect((await reset(await resetTokenOf(email))).status).toBe(204);
    const { body } = await http.post("/v1/oauth2/login", {
      form: { username: email, password: nextPassword },
      expect: 200,
    });
    expect(body.two_fa_required).toBe(true);
  });

  it("400: refuses a token that has expired, is older than another change, or is of another kind", async () => {
    const user = await addUser(owner.organizationId);
    await forgot(user.email);
    // Made before the change: the request is handled later than it is answered.
    const earlier = await resetTokenOf(user.email);
    await change(user.token, user.password, nextPassword);
    expect((await reset(earlier)).status).toBe(400);
    await forgot(user.email);
    const late = await resetTokenOf(user.email);
    const past = { $set: { expires_at: new Date(Date.now() - 1) } };
    await mongo.db("base").collection("mailed_token").updateMany({ user_id: user.id }, past);
    for (const token of [late, "tpr_unknown", user.token, user.refreshToken]) {
      expect((await reset(token.slice(0, 200))).body.code).toBe("invalid_reset_token");
    }
    expect(await load(late)).toBe(401);
  });
});
