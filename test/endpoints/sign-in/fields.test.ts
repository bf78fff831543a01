import { beforeAll, describe, expect, it } from "vitest";
import { createUser, http, platformUrl, registerOrganization, type User } from "../../platform.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { Browser } from "./browser.ts";

let owner: User;
let app: AskingApp;
beforeAll(async () => {
  owner = await registerOrganization("Analytical Engines");
  app = await askingApp(owner, { name: "Notes", scopes: ["read"] });
});

const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input id="(\w+)"([^>]*)>/g)].map(([, name = "", attributes = ""]) => [
      name,
      ["type", "autocomplete"].map((one) => new RegExp(` ${one}="([^"]*)"`).exec(attributes)?.[1] ?? "").join(" "),
    ]),
  );

describe("the fields of the pages", () => {
  it("hide passwords, and have the autocomplete values for password managers", async () => {
    const first = await new Browser().open(app.request());
    expect(fieldsOf(first.text)).toEqual({ username: "email username", password: "password current-password" });
    const reset = await new Browser().open("/v1/sign-in/reset-password?token=tpr_any");
    expect(fieldsOf(reset.text)).toMatchObject({ password: "password new-password" });
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const code = await enterPassword(new Browser(), person, app.request());
    expect(fieldsOf(code.text)).toEqual({ code: "text one-time-code" });
  });

  it("have no script that could prevent pasting", async () => {
    for (const path of [app.request(), "/v1/sign-in/reset-password?token=tpr_any"]) {
      const page = await new Browser().open(path);
      expect(fieldsOf(page.text)).toHaveProperty("password");
      expect(page.text).not.toMatch(/<script| on\w+=/);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page.headers.get("content-security-policy")).not.toContain("script-src");
    }
  });
});

describe("the page that asks for consent", () => {
  it("names the app, the person, the rights, the organization, the address and the duration", async () => {
    const { text, heading } = await enterPassword(new Browser(), owner, app.request());
    expect(heading).toBe("Allow Notes?");
    for (const said of [
      owner.email,
      "Read what you may read there",
      "Analytical Engines",
      "app.example.com",
      "30 days",
    ]) {
      expect(text).toContain(said);
    }
    expect(text).not.toContain("Create, change and delete");
    expect(text).not.toContain("sensitive");
  });
});

describe("the scope for sensitive values", () => {
  it("is asked for in plain words, and listed where clients look for scopes", async () => {
    const asking = await askingApp(owner, { name: "Payroll", scopes: ["read", "sensitive:read"] });
    const { text } = await enterPassword(new Browser(), owner, asking.request());
    expect(text).toContain("See sensitive values, such as numbers of identity cards, if you may see them");
    const { body } = await http.get("/.well-known/oauth-authorization-server", { expect: 200 });
    expect(body.scopes_supported).toEqual(["all", "read", "write", "admin", "sensitive:read"]);
  });
});

describe("what was typed into a form", () => {
  it("is not sent on: the browser is redirected by 303 to an address without it", async () => {
    const browser = new Browser();
    const page = await browser.open(app.request());
    const { action = "", hidden = {} } = page.forms[0] ?? {};
    const form = new URLSearchParams({ ...hidden, username: owner.email, password: owner.password });
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "),
    };
    const reply = await fetch(new URL(action, platformUrl), {
      method: "POST",
      body: form,
      headers,
      redirect: "manual",
    });
    expect(reply.status).toBe(303);
    expect(reply.headers.get("location")).toMatch(/^\/v1\/oauth2\/authorize\?/);
    const address = decodeURIComponent((reply.headers.get("location") ?? "").replaceAll("+", " "));
    for (const typed of [owner.email, owner.password]) expect(address).not.toContain(typed);
  });
});
