import { describe, expect, it } from "vitest";
import { addUser, type HttpReply, http, signIn, type User } from "../../platform.ts";
import { bytesOf } from "./base32.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { appCode, begin, memberWithApp, verify } from "./second-factors.ts";

useOwner();

const identities = () => mongo.db("base").collection<{ _id: string }>("user");

const post = (path: string, token: string, body: object): Promise<HttpReply> => http.post(path, { token, body });
const enrol = ({ token, password }: Pick<User, "token" | "password">) => post("/v1/auth/totp", token, { password });
const confirm = (token: string, code: string) => post("/v1/auth/totp/confirm", token, { code });
const disable = (token: string, password: string, code: string) =>
  post("/v1/auth/totp/disable", token, { password, code });

const withApp = () => memberWithApp(owner.organizationId);

describe("POST /v1/auth/totp", () => {
  it("answers a secret that the database holds only encrypted, and changes nothing yet", async () => {
    const user = await addUser(owner.organizationId);
    const { status, body, headers } = await enrol(user);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(body.otpauth_uri).toContain(`secret=${body.secret}`);
    const stored = JSON.stringify(await identities().findOne({ _id: user.id }));
    for (const form of ["base64", "hex", "base64url"] as const) {
      expect(stored).not.toContain(bytesOf(body.secret).toString(form).replace(/=+$/, ""));
    }
    expect((await signIn(user.email)).token).toBeTruthy();
  });

  it("403: requires the password, under the limits of sign-ins", async () => {
    const user = await addUser(owner.organizationId);
    const wrong = { ...user, password: "some wrong password" };
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await enrol(wrong)).body.code).toBe("wrong_password");
    expect((await enrol(user)).status).toBe(429);
  });
});

describe("POST /v1/auth/totp/confirm", () => {
  it("turns it on with ten recovery codes, stored as hashes, and ends the person's other sessions", async () => {
    const user = await addUser(owner.organizationId);
    const other = await signIn(user.email);
    const { secret } = (await enrol(user)).body;
    const { body } = await confirm(user.token, appCode(secret));
    expect(new Set(body.recovery_codes).size).toBe(10);
    const stored = JSON.stringify(await identities().findOne({ _id: user.id }));
    for (const code of body.recovery_codes) expect(stored).not.toContain(code);
    expect((await http.get("/v1/auth/load", { token: user.token })).status).toBe(200);
    expect((await http.get("/v1/auth/load", { token: other.token })).status).toBe(401);
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token: other.refreshToken } })).status).toBe(401);
    expect((await enrol(user)).body.code).toBe("totp_enabled");
    expect((await confirm(user.token, appCode(secret, 1))).body.code).toBe("totp_enabled");
  });

  it("403 and 409: refuses a wrong code, and an enrolment that was not begun or has expired", async () => {
    const user = await addUser(owner.organizationId);
    expect((await confirm(user.token, "123456")).body.code).toBe("totp_not_enabled");
    const { secret } = (await enrol(user)).body;
    expect((await confirm(user.token, appCode(secret, 100))).body.code).toBe("wrong_code");
    await identities().updateOne({ _id: user.id }, { $set: { "totp_enrolment.expires_at": new Date() } });
    expect((await confirm(user.token, appCode(secret))).body.code).toBe("totp_not_enabled");
  });
});

describe("signing in with an authenticator app", () => {
  it("requires a code and accepts each once, also of concurrent requests", async () => {
    const user = await withApp();
    const { session_id } = await begin(user);
    expect((await verify(user, user.used, session_id)).status).toBe(401);
    const next = appCode(user.secret, 1);
    const waiting = await Promise.all([begin(user), begin(user), begin(user)]);
    const replies = await Promise.all(waiting.map((one) => verify(user, next, one.session_id)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  it("accepts a recovery code once, in any spelling", async () => {
    const user = await withApp();
    const [code = ""] = user.recovery;
    const spelled = ` ${code.toUpperCase().replaceAll("-", " ")} `;
    expect((await verify(user, spelled, (await begin(user)).session_id)).status).toBe(200);
    expect((await verify(user, code, (await begin(user)).session_id)).status).toBe(401);
    const stored = await identities().findOne({ _id: user.id });
    expect((stored as unknown as { totp: { recovery_codes: string[] } }).totp.recovery_codes).toHaveLength(9);
  });

  it("refuses another person's code", async () => {
    const [user, other] = [await withApp(), await withApp()];
    expect((await verify(user, appCode(other.secret, 1), (await begin(user)).session_id)).status).toBe(401);
    expect((await verify(user, other.recovery[0] ?? "", (await begin(user)).session_id)).status).toBe(401);
  });
});

describe("POST /v1/auth/totp/disable", () => {
  it("requires the password and an unused code, and then sign-ins need only the password", async () => {
    const user = await withApp();
    expect((await disable(user.token, "some wrong password", appCode(user.secret, 1))).body.code).toBe(
      "wrong_password",
    );
    expect((await disable(user.token, user.password, user.used)).body.code).toBe("wrong_code");
    expect((await disable(user.token, user.password, user.recovery[3] ?? "")).status).toBe(204);
    expect((await signIn(user.email)).id).toBe(user.id);
    expect((await disable(user.token, user.password, appCode(user.secret, 1))).body.code).toBe("totp_not_enabled");
    expect(JSON.stringify(await identities().findOne({ _id: user.id }))).not.toContain('"totp"');
  });
});
