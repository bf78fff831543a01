import { describe, expect, it } from "vitest";
import { confirmationTokenOf, http, registerOrganization, type User } from "../../platform.ts";
import { Browser, type Page } from "./browser.ts";
import { mailedLink } from "./mailed-link.ts";

const linkTo = ({ email }: User): Promise<string> => mailedLink(email, "confirm-email");

const isConfirmed = async ({ token }: User): Promise<boolean> =>
  (await http.get("/v1/auth/load", { token, expect: 200 })).body.user.email_confirmed;

const submit = (browser: Browser, page: Page, password = "correct horse battery staple"): Promise<Page> =>
  browser.submit(page, "confirm-email", { password });

describe("a person who has registered", () => {
  it("confirms their email with their password on the page that the mail leads to", async () => {
    const user = await registerOrganization();
    const browser = new Browser();
    const page = await browser.open(await linkTo(user));
    expect([page.status, page.heading]).toEqual([200, "Confirm your email"]);
    const done = await submit(browser, page);
    expect([done.status, done.heading]).toEqual([200, "Your email is confirmed"]);
    expect(await isConfirmed(user)).toBe(true);
  });

  it("can use the link after a mail program has opened it", async () => {
    const user = await registerOrganization();
    const link = await linkTo(user);
    for (let time = 0; time < 3; time += 1) await new Browser().open(link);
    expect(await isConfirmed(user)).toBe(false);
    const browser = new Browser();
    expect((await submit(browser, await browser.open(link))).status).toBe(200);
  });

  it("is told at the second use that the link no longer works, and how to go on", async () => {
    const user = await registerOrganization();
    const browser = new Browser();
    const page = await browser.open(await linkTo(user));
    const outcomes = await Promise.all([submit(browser, page), submit(browser, page)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    const again = await submit(browser, await browser.open(await linkTo(user)));
    expect([again.status, again.heading]).toEqual([422, "This link no longer works"]);
    expect(again.text).toContain('href="/v1/sign-in/forgot-password"');
    expect(await isConfirmed(user)).toBe(true);
  });
});

describe("a person who has not registered", () => {
  it("confirms nothing without the password, and is shown how to take the account over", async () => {
    const user = await registerOrganization();
    const browser = new Browser();
    const page = await browser.open(await linkTo(user));
    expect(page.text).toContain('href="/v1/sign-in/forgot-password"');
    for (const password of ["", "what they would guess"]) {
      const refused = await submit(browser, page, password);
      expect([refused.status, refused.alert]).toEqual([422, "The password is wrong."]);
      expect(refused.title).toBe("Problem: Confirm your email · Tenantry");
    }
    for (let attempt = 0; attempt < 4; attempt += 1) await submit(browser, page, "what they would guess");
    const locked = await submit(browser, page);
    expect([locked.status, locked.alert]).toEqual([429, "Too many attempts. Wait 15 minutes and try again."]);
    expect(await isConfirmed(user)).toBe(false);
  });

  it("confirms nothing through a form on a foreign page", async () => {
    const user = await registerOrganization();
    const browser = new Browser();
    await browser.open(await linkTo(user));
    const token = await confirmationTokenOf(user.email);
    const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const refused = await browser.post("/v1/sign-in/confirm-email", { token }, elsewhere);
    expect([refused.status, refused.heading]).toEqual([403, "This page is too old"]);
    expect(refused.text).toContain(`href="/v1/sign-in/confirm-email?token=${token}"`);
    expect(await isConfirmed(user)).toBe(false);
  });

  it("is told that a link is invalid only when it is used", async () => {
    const browser = new Browser();
    const page = await browser.open("/v1/sign-in/confirm-email?token=%22%3E%3Cscript%3E");
    expect(page.text).not.toContain("<script>");
    expect((await submit(browser, page)).heading).toBe("This link no longer works");
  });
});
