import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hotp, stepAt } from "../../../shared/identity/totp.ts";
import {
  addUser,
  createUser,
  databaseClient,
  type HttpReply,
  http,
  mailsTo,
  registerOrganization,
  type User,
} from "../../platform.ts";
import type { Mail } from "../../setup/mailbox.ts";
import { bytesOf } from "./base32.ts";

let mongo: MongoClient;
let owner: User;
beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
});
afterAll(() => mongo.close());

const next = "another quite long passphrase";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

type Person = Pick<User, "email" | "password">;

const subjects = (email: string): (string | undefined)[] => mailsTo(email).map(({ headers }) => headers.subject);
const last = (email: string): Mail => {
  const mail = mailsTo(email).at(-1);
  if (mail === undefined) throw new Error(`Nothing was mailed to ${email}.`);
  return mail;
};
const codeOf = (secret: string, later = 0): string => hotp(bytesOf(secret), stepAt(Date.now() / 1000) + later);
const post = (path: string, token: string, body: object, headers = {}): Promise<HttpReply> =>
  http.post(path, { token, body, headers });
const begin = async ({ email, password }: Person): Promise<string> =>
  (await http.post("/v1/oauth2/login", { form: { username: email, password }, expect: 200 })).body.session_id;
const verify = (email: string, session_id: string, code: string): Promise<HttpReply> =>
  http.post("/v1/oauth2/verify-2fa", { body: { email, session_id, code } });

const withApp = async () => {
  const user = await addUser(owner.organizationId);
  const { secret } = (await post("/v1/auth/totp", user.token, { password: user.password })).body;
  const { body } = await post("/v1/auth/totp/confirm", user.token, { code: codeOf(secret) });
  return { ...user, secret: secret as string, recovery: body.recovery_codes as string[] };
};

describe("a person is told by mail", () => {
  it("that the password was changed: what, when, from where, and what to do; no secret and no link", async () => {
    const user = await addUser(owner.organizationId);
    const passwords = { current_password: user.password, password: next };
    const begun = Date.now();
    await post("/v1/auth/password", user.token, passwords, { "user-agent": FIREFOX });
    expect(subjects(user.email)).toEqual(["Your password was changed"]);
    const { headers, text } = last(user.email);
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
    await http.post("/v1/forgot-password", { body: { email } });
    const token = /Your token is (\S+)/.exec(last(email).text)?.[1] ?? "";
    await http.post("/v1/reset-password", { body: { token, password: next }, expect: 204 });
    expect(subjects(email)).toEqual(["Set a new password", "A new password was set"]);
    expect(last(email).text).not.toContain(token);
  });

  it("that a password was set on the page that the mail leads to", async () => {
    const { email } = await createUser(owner.organizationId);
    await http.post("/v1/forgot-password", { body: { email } });
    const link = new URL(/^http.+$/m.exec(last(email).text)?.[0] ?? "");
    const page = await http.get(`${link.pathname}${link.search}`, { expect: 200 });
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const cookie = page.headers.getSetCookie().map((one) => one.split(";")[0]);
    const form = { form_token, token: link.searchParams.get("token") ?? "", password: next };
    await http.post(link.pathname, { form, headers: { cookie: cookie.join("; ") }, expect: 200 });
    await http.post("/v1/oauth2/login", { form: { username: email, password: next }, expect: 200 });
    expect(subjects(email)).toEqual(["Set a new password", "A new password was set"]);
  });

  it("that an authenticator app was turned on and off, and that a recovery code was used", async () => {
    const user = await withApp();
    const [first = "", second = ""] = user.recovery;
    expect((await verify(user.email, await begin(user), first)).status).toBe(200);
    await post("/v1/auth/totp/disable", user.token, { password: user.password, code: second });
    expect(subjects(user.email)).toEqual([
      "An authenticator app was turned on",
      "A recovery code was used to sign in",
      "The authenticator app was turned off",
    ]);
    const texts = mailsTo(user.email).map(({ text }) => text);
    for (const secret of [user.secret, first, second]) expect(texts.join()).not.toContain(secret);
  });

  it("of nothing that was refused, and of no sign-in with the app", async () => {
    const user = await withApp();
    await post("/v1/auth/password", user.token, { current_password: "some wrong password", password: next });
    await post("/v1/auth/totp/disable", user.token, { password: user.password, code: "000000" });
    await http.post("/v1/reset-password", { body: { token: "tpr_unknown", password: next } });
    await verify(user.email, await begin(user), "aaaa-aaaa-aaaa-aaaa");
    expect((await verify(user.email, await begin(user), codeOf(user.secret, 1))).status).toBe(200);
    expect(subjects(user.email)).toEqual(["An authenticator app was turned on"]);
  });
});

describe("wrong codes after the right password", () => {
  const guess = async (user: Person): Promise<void> => {
    const session = await begin(user);
    await Promise.all(Array.from({ length: 5 }, () => verify(user.email, session, "aaaa-aaaa-aaaa-aaaa")));
  };
  const warnings = (email: string) => subjects(email).filter((subject) => subject?.startsWith("Wrong codes"));

  it("are told of at the fifth, once a day however many there are", async () => {
    const user = await withApp();
    const session = await begin(user);
    for (let attempt = 0; attempt < 4; attempt += 1) await verify(user.email, session, "000000");
    expect(warnings(user.email)).toEqual([]);
    await guess(user);
    await guess(user);
    expect(warnings(user.email)).toHaveLength(1);
    const users = mongo.db("base").collection<{ _id: string }>("user");
    const longAgo = { $set: { wrong_codes_warned_at: new Date(Date.now() - 25 * 60 * 60_000) } };
    await users.updateOne({ _id: user.id }, longAgo);
    await guess(user);
    expect(warnings(user.email)).toHaveLength(2);
  });

  it("are not what a stranger can give, who fills no mailbox with wrong passwords", async () => {
    const { email } = await createUser(owner.organizationId);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await http.post("/v1/oauth2/login", { form: { username: email, password: "some wrong password" } });
    }
    expect(mailsTo(email)).toEqual([]);
  });
});

describe("what a client says of itself", () => {
  it("reaches a mail only in our own words", async () => {
    const { email } = await createUser(owner.organizationId);
    const phishing = "Firefox/1.0 Linux Your account is locked, call us or visit https://evil.example";
    const headers = { "user-agent": phishing };
    await http.post("/v1/forgot-password", { body: { email }, headers });
    expect(last(email).text).toContain("from 127.0.0.1 (Firefox on Linux).");
    expect(last(email).text).not.toMatch(/evil|locked/);
  });
});
