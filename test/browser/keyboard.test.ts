import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { mailedCode } from "../endpoints/identity/second-factors.ts";
import { createUser, joinOrganization, registerOrganization, type User } from "../platform.ts";
import { actsFor, arrival, setOut, startApp } from "./app.ts";
import { focusOf, isRinged } from "./focus.ts";
import { isTold, sees } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

let owner: User;
let other: User;
beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization("Acme"), registerOrganization("Umbrella")]);
});

const focus = async (page: Page): Promise<string> => {
  expect(await isRinged(page)).toBe(true);
  return focusOf(page);
};

const tab = async (page: Page, key: "Tab" | "Shift+Tab" = "Tab"): Promise<string> => {
  await page.keyboard.press(key);
  return focus(page);
};

const type = (page: Page, text: string): Promise<void> => page.keyboard.type(text);
const enter = (page: Page): Promise<void> => page.keyboard.press("Enter");

describe.each(scripting)("using only the keyboard, $scripts", ({ javaScriptEnabled }) => {
  it("a person signs in with a second factor, chooses an organization and allows the app", async () => {
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    await joinOrganization(person, other.organizationId);
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, { ...app, client_id: "tenantry-cli", client_secret: "" });

    await sees(page, "Sign in");
    expect(await focus(page)).toBe('textbox "Email"');
    await type(page, person.email);
    expect(await tab(page)).toBe('textbox "Password"');
    expect(await tab(page)).toBe('button "Sign in"');
    expect(await tab(page)).toBe('link "Forgot your password?"');
    await tab(page, "Shift+Tab");
    expect(await tab(page, "Shift+Tab")).toBe('textbox "Password"');
    await type(page, "not the right one");
    await enter(page);

    await isTold(page, "wrong");
    expect(await focus(page)).toBe('textbox "Password"');
    await type(page, person.password);
    await enter(page);

    await sees(page, "Enter your code");
    expect(await focus(page)).toBe('textbox "Code"');
    await type(page, await mailedCode(person));
    expect(await tab(page)).toBe('button "Continue"');
    await enter(page);

    await sees(page, /^Allow /);
    expect(await tab(page)).toBe('radio "Acme"');
    await page.keyboard.press("ArrowDown");
    expect(await focus(page)).toBe('radio "Umbrella"');
    expect(await tab(page)).toBe('button "Allow"');
    expect(await tab(page)).toBe('button "Do not allow"');
    expect(await tab(page)).toMatch(/^button ".*somebody else"$/);
    await tab(page, "Shift+Tab");
    await tab(page, "Shift+Tab");
    await page.keyboard.press("Space");
    expect(await actsFor(page, going)).toEqual({ email: person.email, organization: "Umbrella" });
  });

  it("a person denies the app's request", async () => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, app);
    expect(await focus(page)).toBe('textbox "Email"');
    await type(page, owner.email);
    await tab(page);
    await type(page, owner.password);
    await enter(page);
    await sees(page, /^Allow /);
    expect(await tab(page)).toBe('button "Allow"');
    expect(await tab(page)).toBe('button "Do not allow"');
    await enter(page);
    expect((await arrival(page, going)).get("error")).toBe("access_denied");
  });
});
