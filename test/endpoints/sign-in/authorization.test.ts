import { beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  createUser,
  databaseClient,
  http,
  joinOrganization,
  platformUrl,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { askToken, REDIRECT, registerApp } from "../identity/apps.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { answerAt, Browser, type Page } from "./browser.ts";

let owner: User;
let app: AskingApp;
beforeAll(async () => {
  owner = await registerOrganization("Analytical Engines");
  app = await askingApp(owner, { name: "A <b>bold</b> app", scopes: ["read", "write"] });
});

const request = (more: Record<string, string | undefined> = {}): string => app.request(more);

const signedIn = (browser: Browser, person: Pick<User, "email" | "password">, path = request()): Promise<Page> =>
  enterPassword(browser, person, path);

describe("a person who is sent to the page by an app", () => {
  it("signs in, authorizes the app and returns to it with a code that can be exchanged", async () => {
    const browser = new Browser();
    const first = await browser.open(request());
    expect(first.status).toBe(200);
    expect(first.title).toBe("Sign in · Tenantry");
    expect(first.text).toContain("A &lt;b&gt;bold&lt;/b&gt; app");
    const decision = await browser.submit(first, "password", {
      username: ` ${owner.email.toUpperCase()} `,
      password: owner.password,
    });
    expect(decision.heading).toBe("Allow A <b>bold</b> app?");
    expect(decision.text).toContain("Create, change and delete what you may");
    expect(decision.text).not.toContain("everything");
    expect(decision.text).toContain("Analytical Engines");
    expect(decision.text).toContain("app.example.com");
    const end = await browser.submit(decision, "decision", { decision: "allow" });
    const answer = answerAt(end, REDIRECT);
    expect(answer.get("tenant")).toBe("1");
    expect(answer.get("state")).toBe('a "state" <&>');
    expect(answer.get("iss")).toBe(platformUrl);
    expect(end.headers.get("cache-control")).toBe("no-store");
    const token = await askToken({
      grant_type: "authorization_code",
      client_id: app.client_id,
      code: answer.get("code") ?? "",
      redirect_uri: REDIRECT,
      code_verifier: app.verifier,
    });
    expect(token.status).toBe(200);
    expect(token.body.scope).toBe("read write");
    expect(claimsOf(token.body.access_token)).toMatchObject({ sub: owner.id, org: owner.organizationId });
    await http.get("/v1/auth/load", { token: token.body.access_token, expect: 200 });
  });

  it("finds the page at the address of POST /v1/oauth2/code and of the metadata", async () => {
    const body = { client_id: app.client_id, redirect_uri: REDIRECT, state: "s", code_challenge: app.challenge };
    const { code_url } = (await http.post("/v1/oauth2/code", { body, expect: 200 })).body;
    const url = new URL(code_url);
    expect((await new Browser().open(url.pathname + url.search)).heading).toBe("Sign in");
    const metadata = (await http.get("/.well-known/oauth-authorization-server")).body;
    expect(url.origin + url.pathname).toBe(metadata.authorization_endpoint);
  });

  it("returns with a valid code to an app that did not name its only redirect URI", async () => {
    const confidential = await registerApp(owner.token, { name: "Field Notes" });
    const { client_id, client_secret } = confidential;
    const { code_url } = (await http.post("/v1/oauth2/code", { body: { client_id }, expect: 200 })).body;
    const browser = new Browser();
    const decision = await signedIn(browser, owner, code_url.slice(platformUrl.length));
    const answer = answerAt(await browser.submit(decision, "decision", { decision: "allow" }), REDIRECT);
    const form = { grant_type: "authorization_code", client_id, client_secret, code: answer.get("code") ?? "" };
    expect((await askToken(form)).status).toBe(200);
  });

  it("is asked for consent every time and for every app, but not for the password again", async () => {
    const browser = new Browser();
    await browser.submit(await signedIn(browser, owner), "decision", { decision: "allow" });
    const again = await browser.open(request());
    expect(again.heading).toBe("Allow A <b>bold</b> app?");
    const other = await registerApp(owner.token, { name: "Another" });
    const asked = await browser.open(request({ client_id: other.client_id }));
    expect(asked.heading).toBe("Allow Another?");
  });

  it("refuses, and the app is told", async () => {
    const browser = new Browser();
    const end = await browser.submit(await signedIn(browser, owner), "decision", { decision: "deny" });
    const answer = answerAt(end, REDIRECT);
    expect(Object.fromEntries(answer)).toMatchObject({
      error: "access_denied",
      state: 'a "state" <&>',
      iss: platformUrl,
      tenant: "1",
    });
    expect(answer.has("code")).toBe(false);
  });

  it("signs out so that somebody else can sign in, and the session has ended", async () => {
    const browser = new Browser();
    const decision = await signedIn(browser, owner);
    const session = browser.cookies.get("tenantry-session") ?? "";
    expect((await browser.submit(decision, "sign-out")).heading).toBe("Sign in");
    expect(browser.cookies.has("tenantry-session")).toBe(false);
    browser.cookies.set("tenantry-session", session);
    expect((await browser.open(request())).heading).toBe("Sign in");
  });

  it("sees the session of the pages in the list of sessions, and can end it", async () => {
    const member = await addUser(owner.organizationId);
    const browser = new Browser();
    await signedIn(browser, member);
    const { sessions } = (await http.get("/v1/auth/session", { token: member.token, expect: 200 })).body;
    const own = sessions.find((session: { user_agent: string }) => session.user_agent === browser.userAgent);
    expect(own).toMatchObject({ kind: "browser", current: false, app: null, second_factor: false });
    const { entries } = (await http.get("/v1/auth/audit", { token: member.token, expect: 200 })).body;
    expect(entries[0]).toMatchObject({ type: "signed_in", session_id: own.id, user_agent: browser.userAgent });
    await http.delete(`/v1/auth/session/${own.id}`, { token: member.token, expect: 204 });
    expect((await browser.open(request())).heading).toBe("Sign in");
  });

  it("is asked for the password again after it was changed, and after twelve hours", async () => {
    const member = await addUser(owner.organizationId);
    const browser = new Browser();
    await signedIn(browser, member);
    const body = { current_password: member.password, password: "another correct horse battery" };
    await http.post("/v1/auth/password", { token: member.token, body, expect: 204 });
    expect((await browser.open(request())).heading).toBe("Sign in");

    const later = new Browser();
    await signedIn(later, { email: member.email, password: body.password });
    const mongo = await databaseClient();
    const sessions = mongo.db("base").collection("session");
    const session = await sessions.findOne({ user_agent: later.userAgent });
    expect(JSON.stringify(session)).not.toContain(later.cookies.get("tenantry-session"));
    expect(session?.expires_at - session?.created_date).toBe(12 * 60 * 60_000);
    await sessions.updateOne({ user_agent: later.userAgent }, { $set: { expires_at: new Date() } });
    await mongo.close();
    expect((await later.open(request())).heading).toBe("Sign in");
  });
});

describe("a request that is not right", () => {
  it.each([
    ["of an unknown client", { client_id: "nobody" }],
    ["without a client", { client_id: undefined }],
    ["with a redirect URI that is not registered", { redirect_uri: "https://evil.example.com/callback" }],
    ["with a redirect URI that only begins like one", { redirect_uri: `${REDIRECT}&more=1` }],
  ])("%s stays on the page, in the browser and in each form", async (_, wrong) => {
    const browser = new Browser();
    const page = await browser.open(request(wrong));
    expect(page.status).toBe(400);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("location")).toBeNull();
    expect(page.heading).toBe("The app that sent you here is not set up correctly");
    const decision = await signedIn(browser, owner);
    const step = decision.forms[0];
    const query = request(wrong).split("?")[1];
    const posted = await browser.post(`/v1/sign-in/decision?${query}`, { ...step?.hidden, decision: "allow" });
    expect(posted.status).toBe(400);
  });

  it("is refused if it names its redirect URI twice", async () => {
    const page = await new Browser().open(`${request()}&redirect_uri=https://evil.example.com`);
    expect(page.status).toBe(400);
    expect(page.headers.get("location")).toBeNull();
  });
});

describe("where an app may act", () => {
  const commandLine = "tenantry-cli";
  const loopback = "http://127.0.0.1:49152/callback";
  const ofCommandLine = () => request({ client_id: commandLine, redirect_uri: loopback });

  const tokenOf = async (end: Page) => {
    const code = answerAt(end, loopback).get("code") ?? "";
    const form = { grant_type: "authorization_code", client_id: commandLine, code, redirect_uri: loopback };
    return askToken({ ...form, code_verifier: app.verifier });
  };

  it("is the person's choice among their organizations for the command line", async () => {
    const first = await registerOrganization("First");
    const second = await registerOrganization("Second");
    await joinOrganization(first, second.organizationId);

    const browser = new Browser();
    const decision = await signedIn(browser, first, ofCommandLine());
    expect(decision.text).toMatch(/value="[^"]+" required checked><span>First/);
    expect(decision.text).toContain("Second");
    expect(decision.text).toContain("a program on this computer");
    const elsewhere = await browser.submit(decision, "decision", {
      decision: "allow",
      organization_id: owner.organizationId,
    });
    expect(elsewhere.status).toBe(422);
    expect(elsewhere.alert).toMatch(/^You cannot work in this organization at present\. Sign in again/);
    expect((await browser.submit(decision, "decision", { decision: "allow" })).status).toBe(422);
    const end = await browser.submit(decision, "decision", {
      decision: "allow",
      organization_id: second.organizationId,
    });
    expect(claimsOf((await tokenOf(end)).body.access_token).org).toBe(second.organizationId);

    const body = { is_active: false };
    await http.patch(`/v1/object/user/${first.id}`, { token: second.token, body, expect: 200 });
    const again = await browser.open(ofCommandLine());
    const refused = await browser.submit(again, "decision", {
      decision: "allow",
      organization_id: second.organizationId,
    });
    expect(refused.status).toBe(422);
  });

  it("is only the organization that the app belongs to, and other people can only go back", async () => {
    const stranger = await registerOrganization();
    const browser = new Browser();
    const decision = await signedIn(browser, stranger);
    expect(decision.heading).toBe("You cannot use A <b>bold</b> app");
    expect(decision.text).not.toContain('value="allow"');
    expect(decision.text).not.toContain("Analytical Engines");
    for (const organization_id of ["", owner.organizationId, stranger.organizationId]) {
      const forced = await browser.submit(decision, "decision", { decision: "allow", organization_id });
      expect(forced.status).toBe(422);
    }
    const end = await browser.submit(decision, "decision", { decision: "deny" });
    expect(answerAt(end, REDIRECT).get("error")).toBe("access_denied");
  });
});

describe("the pages", () => {
  const directives = (page: Page): Record<string, string> =>
    Object.fromEntries(
      (page.headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
        const [name = "", ...values] = directive.split(" ");
        return [name, values.join(" ")];
      }),
    );

  it("allow only their own style sheet, no framing and no caching", async () => {
    const browser = new Browser();
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const first = await browser.open(request());
    const code = await browser.submit(first, "password", { username: person.email, password: person.password });
    const decision = await signedIn(new Browser(), owner);
    const problem = await browser.open(request({ client_id: "nobody" }));
    const forgotten = await browser.open("/v1/sign-in/forgot-password");
    const mailed = await browser.open("/v1/sign-in/confirm-email?token=tec_any");
    for (const page of [first, code, decision, problem, forgotten, mailed]) {
      const { "form-action": targets, ...policy } = directives(page);
      expect(policy).toMatchObject({ "default-src": "'none'", "frame-ancestors": "'none'", "base-uri": "'none'" });
      expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:\/\/(?!app\.example\.com)/);
      expect(targets).toBe(page === decision ? "'self' https://app.example.com" : "'self'");
      expect(page.headers.get("x-frame-options")).toBe("DENY");
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.headers.get("referrer-policy")).toBe("same-origin");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      // Without TLS, as on a local machine.
      expect(page.headers.get("strict-transport-security")).toBeNull();
      expect(page.text).not.toMatch(/ style=| on\w+=|(?:src|href)="(?!\/v1\/|data:)/);
    }
    expect(Object.keys(directives(first))).not.toContain("script-src");
  });

  it.each([
    ["http://127.0.0.1:49152/callback", "http://127.0.0.1:49152"],
    ["http://[::1]:49152/callback", "http:"],
  ])("let a form end at the app alone: %s", async (redirect_uri, target) => {
    const browser = new Browser();
    const decision = await signedIn(browser, owner, request({ client_id: "tenantry-cli", redirect_uri }));
    expect(directives(decision)["form-action"]).toBe(`'self' ${target}`);
    const body = { organization_id: owner.organizationId, decision: "allow" };
    answerAt(await browser.submit(decision, "decision", body), redirect_uri);
  });

  it("allow the redirect to an app's own scheme", async () => {
    const redirect_uri = "com.example.notes:/callback";
    const notes = await registerApp(owner.token, { type: "public", redirect_uris: [redirect_uri] });
    const browser = new Browser();
    const decision = await signedIn(browser, owner, request({ client_id: notes.client_id, redirect_uri }));
    expect(directives(decision)["form-action"]).toBe("'self' com.example.notes:");
    const end = await browser.submit(decision, "decision", { decision: "allow" });
    expect(end.headers.get("location")).toMatch(/^com\.example\.notes:\/callback\?code=tac_/);
  });
});
