import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { createUser, databaseClient, joinOrganization, registerOrganization, signIn, type User } from "../platform.ts";
import { setOut, startApp } from "./app.ts";
import { isAccessible } from "./look.ts";
import { isTold, mailedLink, press, sees, typeCode, typeCredentials } from "./steps.ts";
import { openWindow } from "./window.ts";

let owner: User;
let other: User;
beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization("Acme Observatory"), registerOrganization("Umbrella")]);
});

const arrived = async (name?: string, more?: Record<string, string>): Promise<Page> => {
  const [page, app] = await Promise.all([openWindow({ javaScriptEnabled: false }), startApp(owner, "public", name)]);
  await setOut(page, app, more);
  return page;
};

const again = async (page: Page, times: number, send: () => Promise<void>): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    await send();
    await page.getByRole("alert").waitFor();
  }
};

it("the sign-in page and its error messages are accessible", async () => {
  const page = await arrived();
  await isAccessible(page, "password");
  const { email } = await createUser(owner.organizationId);
  const wrong = { email, password: "not the right one" };
  await typeCredentials(page, wrong);
  await isTold(page, "wrong");
  await isAccessible(page, "password-wrong");
  await again(page, 4, () => typeCredentials(page, wrong));
  await typeCredentials(page, wrong);
  await isTold(page, /Wait \d+ minutes/);
  await isAccessible(page, "password-locked");
});

it("the second-factor page and its error messages are accessible", async () => {
  const page = await arrived();
  await typeCredentials(page, await createUser(owner.organizationId, { twoFactor: "email" }));
  await sees(page, "Enter your code");
  await isAccessible(page, "code");
  await typeCode(page, "not a code");
  await isTold(page, "wrong");
  await isAccessible(page, "code-wrong");
  await press(page, "I have approved it");
  await isTold(page, "No device has approved it yet");
  await isAccessible(page, "code-not-approved");
  await page.context().clearCookies({ name: "tenantry-waiting" });
  await typeCode(page, "123456");
  await isTold(page, "has expired");
  await isAccessible(page, "code-past-its-time");
});

it("the consent page and its error messages are accessible", async () => {
  const page = await arrived();
  await typeCredentials(page, await signIn(other.email));
  await sees(page, "You cannot use Field Notes");
  await isAccessible(page, "decision-stranger");
  await press(page, /somebody else/);
  const { email, password } = await createUser(owner.organizationId);
  await typeCredentials(page, { email, password });
  await sees(page, "Allow Field Notes?");
  await isAccessible(page, "decision");
  const mongo = await databaseClient();
  await mongo
    .db(owner.organizationId)
    .collection("user")
    .updateOne({ email }, { $set: { is_active: false } });
  await mongo.close();
  await press(page, "Allow");
  await isTold(page, "You cannot work in this organization");
  await isAccessible(page, "decision-refused");
});

it("the page with the choice of an organization is accessible", async () => {
  const person = await createUser(owner.organizationId);
  await joinOrganization(person, other.organizationId);
  const page = await arrived(undefined, { client_id: "tenantry-cli" });
  await typeCredentials(page, person);
  await sees(page, /^Allow /);
  await isAccessible(page, "decision-organizations");
});

it("the page of an app with a long name is accessible", async () => {
  const page = await arrived(`Donaudampfschifffahrts${"gesellschaft".repeat(4)} for everybody`);
  await isAccessible(page, "password-long-name");
  await typeCredentials(page, owner);
  await sees(page, /^Allow /);
  await isAccessible(page, "decision-long-name");
});

it("the pages for a new password are accessible", async () => {
  const { email } = await createUser(owner.organizationId);
  const page = await arrived();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await sees(page, "Forgot your password?");
  await isAccessible(page, "forgot");
  await page.getByLabel("Email").fill("nobody@nowhere");
  await press(page, "Send the link");
  await isTold(page, "no email address");
  await isAccessible(page, "forgot-wrong");
  await page.getByLabel("Email").fill(email);
  await press(page, "Send the link");
  await sees(page, "Check your mail");
  await isAccessible(page, "forgot-sent");
  await expect.poll(() => mailedLink(email)).not.toBe("");
  await page.goto(await mailedLink(email));
  await isAccessible(page, "reset");
  await page.getByLabel("New password").fill("short");
  await press(page, "Set the password");
  await isTold(page, "characters");
  await isAccessible(page, "reset-short");
  await page.getByLabel("New password").fill("another quite long passphrase");
  await press(page, "Set the password");
  await sees(page, "Your password is changed");
  await isAccessible(page, "reset-done");
  await page.goto(await mailedLink(email));
  await page.getByLabel("New password").fill("another quite long passphrase");
  await press(page, "Set the password");
  await sees(page, "This link no longer works");
  await isAccessible(page, "reset-dead");
});

it("the pages that confirm an email are accessible", async () => {
  const { email, password } = await registerOrganization();
  const page = await openWindow({ javaScriptEnabled: false });
  await page.goto(await mailedLink(email));
  await sees(page, "Confirm your email");
  await isAccessible(page, "confirm-email");
  await page.getByLabel("Password").fill("not the password");
  await press(page, "Confirm");
  await isTold(page, "The password is wrong.");
  await isAccessible(page, "confirm-email-wrong");
  await page.getByLabel("Password").fill(password);
  await press(page, "Confirm");
  await sees(page, "Your email is confirmed");
  await isAccessible(page, "confirm-email-done");
  await page.goto(await mailedLink(email));
  await page.getByLabel("Password").fill(password);
  await press(page, "Confirm");
  await sees(page, "This link no longer works");
  await isAccessible(page, "confirm-email-dead");
});

it("the error pages are accessible", async () => {
  const unknown = await arrived(undefined, { client_id: "nobody" });
  await isAccessible(unknown, "unknown-client");
  const elsewhere = await arrived(undefined, { redirect_uri: "https://elsewhere.example.com/callback" });
  await isAccessible(elsewhere, "unregistered-redirect");
  const page = await arrived();
  await page.context().clearCookies();
  await typeCredentials(page, owner);
  await sees(page, "This page is too old");
  await isAccessible(page, "stale");
});
