import { beforeAll, describe, expect, it } from "vitest";
import { addUser, createUser, databaseClient, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { REDIRECT } from "../identity/apps.ts";
import { newEmail } from "../identity/people.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { answerAt, Browser, type Page } from "./browser.ts";

let owner: User;
let app: AskingApp;
beforeAll(async () => {
  owner = await registerOrganization();
  app = await askingApp(owner);
});

const steps = ["password", "code", "approval", "decision", "sign-out", "forgot-password"];
const queryOf = (): string => app.request().split("?")[1] ?? "";
const hiddenOf = (page: Page): Record<string, string> => page.forms[0]?.hidden ?? {};

describe("a form that was not sent from a page of ours", () => {
  const everyField = () => ({
    username: owner.email,
    password: owner.password,
    code: "000000",
    decision: "allow",
    email: owner.email,
    token: "x",
  });

  const forgeries: Record<string, (victim: Browser, decision: Page) => Promise<[Record<string, string>, object]>> = {
    "without a token": async () => [{}, {}],
    "with an empty token": async () => [{ form_token: "" }, {}],
    "with the token of another browser": async () => [hiddenOf(await new Browser().open(app.request())), {}],
    "with the token of before the sign-in": async (victim) => [{ form_token: victim.cookies.get("before") ?? "" }, {}],
    "with the right token from another site": async (_, page) => [hiddenOf(page), { "sec-fetch-site": "cross-site" }],
    "with the right token from a neighbouring site": async (_, page) => [
      hiddenOf(page),
      { "sec-fetch-site": "same-site" },
    ],
    "with the right token from an older browser on another site": async (_, page) => [
      hiddenOf(page),
      { origin: "https://evil.example.com" },
    ],
    "with the right token from nowhere": async (_, page) => [hiddenOf(page), { origin: "null" }],
  };

  it.each(Object.entries(forgeries))("%s is refused at every step and changes nothing", async (_, forge) => {
    const victim = new Browser();
    const first = await victim.open(app.request());
    const before = hiddenOf(first).form_token ?? "";
    const decision = await victim.submit(first, "password", { username: owner.email, password: owner.password });
    victim.cookies.set("before", before);
    const kept = new Map(victim.cookies);
    const [token, headers] = await forge(victim, decision);
    for (const step of [...steps, "reset-password", "confirm-email"]) {
      const query = steps.includes(step) ? `?${queryOf()}` : "";
      const refused = await victim.post(`/v1/sign-in/${step}${query}`, { ...everyField(), ...token }, headers as never);
      expect(`${step} ${refused.status} ${refused.heading}`).toBe(`${step} 403 This page is too old`);
      expect(victim.cookies).toEqual(kept);
    }
    expect((await victim.open(app.request())).heading).toContain("Allow");
  });

  it("is refused without a cookie, so that a foreign page cannot sign somebody in as another person", async () => {
    const attacker = new Browser();
    const page = await attacker.open(app.request());
    const form = { ...hiddenOf(page), username: owner.email, password: owner.password };
    const victim = new Browser();
    expect((await victim.post(`/v1/sign-in/password?${queryOf()}`, form)).status).toBe(403);
    expect(victim.cookies.size).toBe(0);
  });

  it("links back to the page with the app's request", async () => {
    const refused = await new Browser().post(`/v1/sign-in/password?${queryOf()}`, {});
    expect(refused.text).toContain('href="/v1/oauth2/authorize?response_type=code&amp;client_id=');
  });
});

describe("a wrong password on the page", () => {
  it("is answered like an unknown email, and the page keeps the email but not the password", async () => {
    const browser = new Browser();
    const texts = [];
    for (const username of [owner.email, newEmail()]) {
      const page = await enterPassword(browser, { email: username, password: "wrong <password>" }, app.request());
      expect(page.status).toBe(422);
      expect(page.title).toBe("Problem: Sign in · Tenantry");
      expect(page.alert).toBe("The email or the password is wrong.");
      expect(page.text).toContain(`value="${username}"`);
      expect(page.text).not.toContain("wrong &lt;");
      expect(page.text).toMatch(/<input id="password"[^>]+aria-describedby="problem" aria-invalid="true" autofocus/);
      texts.push(page.text.replaceAll(username, "somebody"));
    }
    expect(texts[0]).toBe(texts[1]);
  });

  it.each([
    ["nothing", ""],
    ["more than a password can be", "x".repeat(2000)],
  ])("may be %s", async (_, password) => {
    const page = await enterPassword(new Browser(), { email: owner.email, password }, app.request());
    expect(page.alert).toBe("The email or the password is wrong.");
  });

  it("counts for the same limits as POST /v1/oauth2/login", async () => {
    const person = await createUser(owner.organizationId);
    const wrong = { email: person.email, password: "wrong password" };
    for (let attempt = 0; attempt < 3; attempt += 1) await enterPassword(new Browser(), wrong, app.request());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await http.post("/v1/oauth2/login", { form: { username: wrong.email, password: wrong.password }, expect: 401 });
    }
    const page = await enterPassword(new Browser(), person, app.request());
    expect(page.status).toBe(429);
    expect(page.alert).toBe("Too many attempts. Wait 15 minutes and try again.");
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(800);
    expect(page.text).not.toMatch(/<input[^>]+aria-invalid/);
  });

  it("is reported for a deactivated account too, also in a browser that was signed in", async () => {
    const person = await createUser(owner.organizationId);
    const browser = new Browser();
    expect((await enterPassword(browser, person, app.request())).heading).toContain("Allow");
    const mongo = await databaseClient();
    await mongo
      .db("base")
      .collection("user")
      .updateOne({ email: person.email }, { $set: { is_active: false } });
    await mongo.close();
    expect((await browser.open(app.request())).heading).toBe("Sign in");
    const page = await enterPassword(browser, person, app.request());
    expect(page.alert).toBe("The email or the password is wrong.");
  });

  it("is not reported to a person who has no organization to work in", async () => {
    const lonely = await addUser(owner.organizationId);
    const body = { is_active: false };
    await http.patch(`/v1/object/user/${lonely.id}`, { token: owner.token, body, expect: 200 });
    const page = await enterPassword(new Browser(), lonely, app.request());
    expect(page.status).toBe(422);
    expect(page.alert).toBe("You are not an active member of any active organization.");
  });
});

describe("the cookie of a signed-in browser", () => {
  it("is new at every sign-in, so that a planted cookie does not work", async () => {
    const browser = new Browser();
    await browser.open(app.request());
    browser.cookies.set("tenantry-session", "tbs_planted");
    const planted = new Map(browser.cookies);
    await enterPassword(browser, owner, app.request());
    expect(browser.cookies.get("tenantry-session")).toMatch(/^tbs_[\w-]{43}$/);
    expect(browser.cookies.get("tenantry-form")).not.toBe(planted.get("tenantry-form"));
    const attacker = new Browser();
    for (const [name, value] of planted) attacker.cookies.set(name, value);
    expect((await attacker.open(app.request())).heading).toBe("Sign in");
  });

  it("is not accepted as a token, and no token is accepted as the cookie", async () => {
    const browser = new Browser();
    const decision = await enterPassword(browser, owner, app.request());
    const cookie = browser.cookies.get("tenantry-session") ?? "";
    expect((await http.get("/v1/auth/load", { token: cookie })).status).toBe(401);
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token: cookie } })).status).toBe(401);
    const form = { grant_type: "refresh_token", client_id: app.client_id, refresh_token: cookie };
    expect((await http.post("/v1/oauth2/token", { form })).body.error).toBe("invalid_grant");
    const query = { email: owner.email, session_id: cookie };
    expect((await http.get("/v1/oauth2/login-status", { query })).body).toEqual({ status: "expired" });
    const { token, refreshToken } = await signIn(owner.email);
    for (const other of [token, refreshToken, "", "tbs_unknown"]) {
      const stranger = new Browser();
      stranger.cookies.set("tenantry-form", browser.cookies.get("tenantry-form") ?? "");
      stranger.cookies.set("tenantry-session", other);
      expect((await stranger.open(app.request())).heading).toBe("Sign in");
      expect((await stranger.submit(decision, "decision", { decision: "allow" })).heading).toBe("Sign in");
    }
    const waiting = new Browser();
    waiting.cookies.set("tenantry-waiting", cookie);
    expect((await waiting.open(app.request())).heading).toBe("Sign in");
  });

  it("authorizes only the request in the form", async () => {
    const browser = new Browser();
    const decision = await enterPassword(browser, owner, app.request());
    const end = await browser.submit(decision, "decision", { decision: "allow" });
    const code = answerAt(end, REDIRECT).get("code") ?? "";
    const form = { grant_type: "authorization_code", client_id: app.client_id, code, redirect_uri: REDIRECT };
    const { body } = await http.post("/v1/oauth2/token", { form: { ...form, code_verifier: "x".repeat(43) } });
    expect(body.error).toBe("invalid_grant");
  });
});
