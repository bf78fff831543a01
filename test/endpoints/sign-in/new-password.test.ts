import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { newEmail } from "../identity/people.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { Browser, type Page } from "./browser.ts";
import { mailedLink } from "./mailed-link.ts";

let owner: User;
let app: AskingApp;
beforeAll(async () => {
  owner = await registerOrganization();
  app = await askingApp(owner);
});

const linkIn = (email: string): Promise<string> => mailedLink(email, "reset-password");

/** From the page that asks for the email to the mail. */
const forget = async (browser: Browser, email: string): Promise<Page> => {
  const first = await browser.open(app.request());
  const [, path = ""] = /href="(\/v1\/sign-in\/forgot-password[^"]*)"/.exec(first.text) ?? [];
  return browser.submit(await browser.open(path.replaceAll("&amp;", "&")), "forgot-password", { email });
};

const another = "another correct horse battery";

describe("a person who has forgotten their password", () => {
  it("is mailed a link, sets a new password with it, and signs in with that", async () => {
    const member = await addUser(owner.organizationId);
    const signedIn = new Browser();
    await enterPassword(signedIn, member, app.request());
    const browser = new Browser();
    const sent = await forget(browser, member.email.toUpperCase());
    expect(sent.heading).toBe("Check your mail");
    expect(sent.text).toContain('href="/v1/oauth2/authorize?response_type=code&amp;client_id=');
    const link = await linkIn(member.email);
    await browser.open(link);
    const page = await browser.open(link);
    expect(page.heading).toBe("Set a new password");
    const done = await browser.submit(page, "reset-password", { password: another });
    expect(done.heading).toBe("Your password is changed");
    expect((await http.get("/v1/auth/load", { token: member.token })).status).toBe(401);
    expect((await signedIn.open(app.request())).heading).toBe("Sign in");
    await signIn(member.email, another);
    const again = await browser.submit(page, "reset-password", { password: "yet another correct horse" });
    expect(again.status).toBe(422);
    expect(again.heading).toBe("This link no longer works");
    await signIn(member.email, another);
  });

  it("is told why the new password is refused, and the link stays valid", async () => {
    const member = await addUser(owner.organizationId);
    const browser = new Browser();
    await forget(browser, member.email);
    const page = await browser.open(await linkIn(member.email));
    for (const [password, reason] of [
      ["short", /10/],
      [`${member.email}`, /email|name/i],
      ["password2024", /attackers try/],
      ["chickenwing101", /attackers try/],
    ] as const) {
      const refused = await browser.submit(page, "reset-password", { password });
      expect(refused.status).toBe(422);
      expect(refused.alert).toMatch(reason);
      expect(refused.text).not.toContain(`value="${password}"`);
    }
    expect((await browser.submit(page, "reset-password", { password: another })).status).toBe(200);
  });

  it("gets the same answer with and without an account", async () => {
    const browser = new Browser();
    const texts = [];
    for (const email of [owner.email, newEmail()]) texts.push((await forget(browser, email)).text);
    expect(texts[0]).toBe(texts[1]);
  });

  it("is told that the input is no email address", async () => {
    const refused = await forget(new Browser(), "not <an> address");
    expect(refused.status).toBe(422);
    expect(refused.alert).toBe("This is no email address.");
    expect(refused.text).toContain('value="not &lt;an&gt; address"');
  });

  it("is told that a link is invalid only when it is used", async () => {
    const browser = new Browser();
    const page = await browser.open("/v1/sign-in/reset-password?token=%22%3E%3Cscript%3E");
    expect(page.text).not.toContain("<script>");
    const refused = await browser.submit(page, "reset-password", { password: another });
    expect(refused.heading).toBe("This link no longer works");
    expect(refused.text).toContain('href="/v1/sign-in/forgot-password"');
    expect((await browser.open("/v1/sign-in/forgot-password")).text).not.toContain("Back to signing in");
  });
});
