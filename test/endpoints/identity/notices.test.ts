import { describe, expect, it } from "vitest";
import { addUser, createUser, type HttpReply, http, mailsTo } from "../../platform.ts";
import type { Mail } from "../../setup/mailbox.ts";
import { forgot, nextPassword, reset } from "./mailbox.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { appCode, begin, memberWithApp, type Person, verify } from "./second-factors.ts";

useOwner();

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

const subjects = async (email: string): Promise<(string | undefined)[]> =>
  (await mailsTo(email)).map(({ headers }) => headers.subject);
const last = async (email: string): Promise<Mail> => {
  const mail = (await mailsTo(email)).at(-1);
  if (mail === undefined) throw new Error(`Nothing was mailed to ${email}.`);
  return mail;
};
const post = (path: string, token: string, body: object, headers = {}): Promise<HttpReply> =>
  http.post(path, { token, body, headers });

describe("a person is told by mail", () => {
  it("that the password was changed, with time, origin and advice, and without secrets and links", async () => {
    const user = await addUser(owner.organizationId);
    const passwords = { current_password: user.password, password: nextPassword };
    const begun = Date.now();
    await post("/v1/auth/password", user.token, passwords, { "user-agent": FIREFOX });
    expect(await subjects(user.email)).toEqual(["Your password was changed"]);
    const { headers, text } = await last(user.email);
    expect(headers.to).toBe(user.email);
    expect(text).toContain(`Account: ${user.email}\n`);
    expect(text).toContain("From: 127.0.0.1 (Firefox on Windows)\n");
    expect(text).toContain("If this was not you:\n");
    const when = Date.parse((/When: (.+)/.exec(text)?.[1] ?? "").replace(" at ", " "));
    expect(Math.abs(when - begun)).toBeLessThan(60_000);
    for (const secret of [...Object.values(passwords), user.token]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/https?:|www\./);
  });

  it("that a password was set with a mailed token", async () => {
    const { email } = await createUser(owner.organizationId);
    const token = await forgot(email);
    expect((await reset(token)).status).toBe(204);
    expect(await subjects(email)).toEqual(["Set a new password", "A new password was set"]);
    expect((await last(email)).text).not.toContain(token);
  });

  it("that a password was set on the page that the mail leads to", async () => {
    const { email } = await createUser(owner.organizationId);
    await http.post("/v1/forgot-password", { body: { email } });
    const link = new URL(/^http.+$/m.exec((await last(email)).text)?.[0] ?? "");
    const page = await http.get(`${link.pathname}${link.search}`, { expect: 200 });
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const cookie = page.headers.getSetCookie().map((one) => one.split(";")[0]);
    const form = { form_token, token: link.searchParams.get("token") ?? "", password: nextPassword };
    await http.post(link.pathname, { form, headers: { cookie: cookie.join("; ") }, expect: 200 });
    await http.post("/v1/oauth2/login", { form: { username: email, password: nextPassword }, expect: 200 });
    expect(await subjects(email)).toEqual(["Set a new password", "A new password was set"]);
  });

  it("that an authenticator app was turned on and off, and that a recovery code was used", async () => {
    const user = await memberWithApp(owner.organizationId);
    const [first = "", second = ""] = user.recovery;
    expect((await verify(user, first, (await begin(user)).session_id)).status).toBe(200);
    await post("/v1/auth/totp/disable", user.token, { password: user.password, code: second });
    expect(await subjects(user.email)).toEqual([
      "An authenticator app was turned on",
      "A recovery code was used to sign in",
      "The authenticator app was turned off",
    ]);
    const texts = (await mailsTo(user.email)).map(({ text }) => text);
    for (const secret of [user.secret, first, second]) expect(texts.join()).not.toContain(secret);
  });

  it("of no refused change, and of no sign-in with the authenticator app", async () => {
    const user = await memberWithApp(owner.organizationId);
    await post("/v1/auth/password", user.token, { current_password: "some wrong password", password: nextPassword });
    await post("/v1/auth/totp/disable", user.token, { password: user.password, code: "000000" });
    await http.post("/v1/reset-password", { body: { token: "tpr_unknown", password: nextPassword } });
    await verify(user, "aaaa-aaaa-aaaa-aaaa", (await begin(user)).session_id);
    expect((await verify(user, appCode(user.secret, 1), (await begin(user)).session_id)).status).toBe(200);
    expect(await subjects(user.email)).toEqual(["An authenticator app was turned on"]);
  });
});

describe("wrong codes after the right password", () => {
  const guess = async (user: Person): Promise<void> => {
    const { session_id } = await begin(user);
    await Promise.all(Array.from({ length: 5 }, () => verify(user, "aaaa-aaaa-aaaa-aaaa", session_id)));
  };
  const warnings = async (email: string) =>
    (await subjects(email)).filter((subject) => subject?.startsWith("Wrong codes"));

  it("cause a mail at the fifth one, at most once a day", async () => {
    const user = await memberWithApp(owner.organizationId);
    const { session_id } = await begin(user);
    for (let attempt = 0; attempt < 4; attempt += 1) await verify(user, "000000", session_id);
    expect(await warnings(user.email)).toEqual([]);
    await guess(user);
    await guess(user);
    expect(await warnings(user.email)).toHaveLength(1);
    const users = mongo.db("base").collection<{ _id: string }>("user");
    const longAgo = { $set: { wrong_codes_warned_at: new Date(Date.now() - 25 * 60 * 60_000) } };
    await users.updateOne({ _id: user.id }, longAgo);
    await guess(user);
    expect(await warnings(user.email)).toHaveLength(2);
  });

  it("cannot be caused by a stranger: wrong passwords cause no mail", async () => {
    const { email } = await createUser(owner.organizationId);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await http.post("/v1/oauth2/login", { form: { username: email, password: "some wrong password" } });
    }
    expect(await mailsTo(email)).toEqual([]);
  });
});

describe("the user agent of a client", () => {
  it("appears in a mail only as one of our own names", async () => {
    const { email } = await createUser(owner.organizationId);
    const phishing = "Firefox/1.0 Linux Your account is locked, call us or visit https://evil.example";
    const headers = { "user-agent": phishing };
    await http.post("/v1/forgot-password", { body: { email }, headers });
    expect((await last(email)).text).toContain("from 127.0.0.1 (Firefox on Linux).");
    expect((await last(email)).text).not.toMatch(/evil|locked/);
  });
});
