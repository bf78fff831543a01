import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { mailedCode } from "../endpoints/identity/second-factors.ts";
import { addUser, createUser, http, registerOrganization, type User } from "../platform.ts";
import { actsFor, exchange, type RunningApp, setOut, startApp } from "./app.ts";
import { allow, isTold, press, sees, typeCode, typeCredentials } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const signedIn = async (javaScriptEnabled: boolean, user: User): Promise<{ page: Page; app: RunningApp }> => {
  const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
  const going = await setOut(page, app);
  await typeCredentials(page, user);
  await allow(page);
  await exchange(page, going);
  return { page, app };
};

/** Ends all sessions of the person except this token's. */
const endOthers = async ({ token }: User): Promise<void> => {
  const { sessions } = (await http.get("/v1/auth/session", { token, expect: 200 })).body;
  const others = sessions.filter(({ current }: { current: boolean }) => !current);
  expect(others.length).toBeGreaterThan(0);
  for (const { id } of others) await http.delete(`/v1/auth/session/${id}`, { token, expect: 204 });
};

const changePassword = async ({ token, password }: User): Promise<void> => {
  const body = { current_password: password, password: "another quite long passphrase" };
  await http.post("/v1/auth/password", { token, body, expect: 204 });
};

describe.each(scripting)("a browser's session $scripts", ({ javaScriptEnabled }) => {
  it.each([
    ["ended on another device", endOthers],
    ["ended by a new password", changePassword],
  ])("%s asks for the password again, even on the page that asks for consent", async (_, end) => {
    const user = await addUser(owner.organizationId);
    const { page, app } = await signedIn(javaScriptEnabled, user);
    await setOut(page, app);
    await sees(page, /^Allow /);
    await end(user);
    await press(page, "Allow");
    await sees(page, "Sign in");
    expect(app.arrivals).toHaveLength(1);
    await setOut(page, app);
    await sees(page, "Sign in");
  });

  it("ends with the browser's cookies", async () => {
    const { page, app } = await signedIn(javaScriptEnabled, owner);
    await page.context().clearCookies();
    await setOut(page, app);
    await sees(page, "Sign in");
  });
});

describe.each(scripting)("going back and reloading, $scripts", ({ javaScriptEnabled }) => {
  it("shows the state of the sign-in, and sends no password twice", async () => {
    const user = await addUser(owner.organizationId);
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    await page.goto(app.redirect_uri);
    const going = await setOut(page, app);
    await typeCredentials(page, user);
    await sees(page, /^Allow /);
    await page.reload();
    await sees(page, /^Allow /);
    await page.goBack();
    if (page.url() === app.redirect_uri) await page.goForward();
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(user.email);
    // Going back from the app asks again, without sending the form twice.
    await page.goBack();
    await sees(page, /^Allow /);
  });

  it("keeps a page that waits for a code, and one with an error message", async () => {
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, app);
    await typeCredentials(page, { ...person, password: "not the right one" });
    await isTold(page, "wrong");
    await page.reload();
    await isTold(page, "wrong");
    await typeCredentials(page, person);
    await sees(page, "Enter your code");
    await page.reload();
    await typeCode(page, await mailedCode(person));
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(person.email);
  });
});
