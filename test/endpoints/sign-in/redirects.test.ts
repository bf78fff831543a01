import { beforeAll, describe, expect, it } from "vitest";
import { createUser, databaseClient, platformUrl, registerOrganization, type User } from "../../platform.ts";
import { REDIRECT, registerApp } from "../identity/apps.ts";
import { mailedCode } from "../identity/second-factors.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { answerAt, Browser, type Page } from "./browser.ts";

let owner: User;
let app: AskingApp;
beforeAll(async () => {
  owner = await registerOrganization("Analytical Engines");
  app = await askingApp(owner, { name: "Field Notes", scopes: ["read", "write"] });
});

type Parameters = Record<string, string | undefined>;

const WRONG: readonly [string, string, Parameters][] = [
  ["invalid_request", "without a challenge", { code_challenge: undefined, code_challenge_method: undefined }],
  ["invalid_request", "with a challenge in the clear", { code_challenge_method: "plain" }],
  ["invalid_request", "with no method, which means in the clear", { code_challenge_method: undefined }],
  ["invalid_request", "with a challenge that is none", { code_challenge: "short" }],
  ["invalid_request", "without a response type", { response_type: undefined }],
  ["unsupported_response_type", "for a token in the address", { response_type: "token" }],
  ["unsupported_response_type", "of a nonsense type", { response_type: "nonsense" }],
  ["invalid_scope", "for more than the app may have", { scope: "admin" }],
  ["invalid_scope", "for a scope that does not exist", { scope: "everything" }],
];

const goBack = (browser: Browser, page: Page, decision = "deny"): Promise<Page> =>
  browser.submit(page, "decision", { decision });

const expectRefusal = (end: Page, error: string): void => {
  const answer = answerAt(end, REDIRECT);
  expect(Object.fromEntries(answer)).toMatchObject({ error, state: 'a "state" <&>', iss: platformUrl });
  expect(answer.get("error_description")).toBeTruthy();
  expect(answer.has("code")).toBe(false);
};

describe("a request that the app cannot have", () => {
  it.each(WRONG)(
    "is reported to the app only after the person signed in and saw the address: %s %s",
    async (error, _, wrong) => {
      const browser = new Browser();
      const first = await browser.open(app.request(wrong));
      expect([first.status, first.heading, first.headers.get("location")]).toEqual([200, "Sign in", null]);
      const page = await browser.submit(first, "password", { username: owner.email, password: owner.password });
      expect(page.heading).toBe("Field Notes has asked for something that it cannot have");
      expect(page.text).toContain("app.example.com");
      expect(page.text).not.toContain('value="allow"');
      expectRefusal(await goBack(browser, page), error);
    },
  );

  it.each(WRONG)(
    "stays on the page of a signed-in person until they go on, and is never allowed: %s %s",
    async (error, _, wrong) => {
      const browser = new Browser();
      await enterPassword(browser, owner, app.request());
      const page = await browser.open(app.request(wrong));
      expect([page.status, page.headers.get("location")]).toEqual([200, null]);
      expectRefusal(await goBack(browser, page, "allow"), error);
    },
  );

  it("does not redirect from any form before the sign-in is complete", async () => {
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const wrong = app.request({ response_type: "nonsense" });
    const query = wrong.slice(wrong.indexOf("?"));
    const browser = new Browser();
    const first = await browser.open(wrong);
    const stays = (page: Page, heading: string): void => {
      expect([page.heading, page.headers.get("location")]).toEqual([heading, null]);
    };
    stays(
      await goBack(browser, {
        ...first,
        forms: [{ action: `/v1/sign-in/decision${query}`, hidden: first.forms[0]?.hidden ?? {} }],
      }),
      "Sign in",
    );
    stays(await browser.post(`/v1/sign-in/decision${query}`, { decision: "deny" }), "This page is too old");
    stays(await browser.submit(first, "password", { username: owner.email, password: "wrong password" }), "Sign in");
    const code = await browser.submit(first, "password", { username: person.email, password: person.password });
    stays(code, "Enter your code");
    stays(await browser.submit(code, "code", { code: "000000" }), "Enter your code");
    stays(await browser.submit(code, "approval"), "Enter your code");
    const end = await browser.submit(code, "code", { code: await mailedCode(person) });
    stays(end, "Field Notes has asked for something that it cannot have");
    stays(await browser.submit(end, "sign-out"), "Sign in");
  });

  it("also shows people of another organization the address", async () => {
    const stranger = await registerOrganization();
    const page = await enterPassword(new Browser(), stranger, app.request());
    expect(page.heading).toBe("You cannot use Field Notes");
    expect(page.text).toContain("app.example.com");
    const wrong = await enterPassword(new Browser(), stranger, app.request({ scope: "admin" }));
    expect(wrong.text).not.toContain("Analytical Engines");
  });
});

describe("the policy of the page that leads to an app", () => {
  // They were registered before such addresses were refused.
  const withStored = async (redirect_uri: string): Promise<string> => {
    const { client_id } = await registerApp(owner.token, { type: "public" });
    const mongo = await databaseClient();
    const clients = mongo.db("base").collection<{ _id: string }>("oauth_client");
    await clients.updateOne({ _id: client_id }, { $set: { redirect_uris: [redirect_uri] } });
    await mongo.close();
    const page = await enterPassword(new Browser(), owner, app.request({ client_id, redirect_uri }));
    expect(page.heading).toBe("Allow An app?");
    return page.headers.get("content-security-policy") ?? "";
  };

  it.each([
    ["https://a;sandbox.test/cb", "'self'"],
    ["https://a%3Bsandbox.test/cb", "'self'"],
    ["https://a,sandbox.test/cb", "'self'"],
    ["https://%2A.test/cb", "'self'"],
    ["https://a'b.test/cb", "'self'"],
    ["https://good.example.com:8443/cb;v=1, 2", "'self' https://good.example.com:8443"],
    ["com.example.notes:/cb;sandbox", "'self' com.example.notes:"],
    ["com.example.notes://a;sandbox/cb", "'self' com.example.notes:"],
  ])("holds nothing else of a stored redirect URI than its origin: %s", async (uri, targets) => {
    const plain = await withStored(REDIRECT);
    expect(await withStored(uri)).toBe(plain.replace("'self' https://app.example.com", targets));
  });
});
