import { beforeAll, describe, expect, it } from "vitest";
import { addUser, joinOrganization, registerOrganization, type User } from "../platform.ts";
import { actsFor, arrival, exchange, setOut, startApp } from "./app.ts";
import { allow, isTold, press, sees, typeCredentials } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

let owner: User;
let stranger: User;
beforeAll(async () => {
  [owner, stranger] = await Promise.all([registerOrganization("Acme & Daughters"), registerOrganization("Umbrella")]);
});

describe.each(scripting)("signing in $scripts", ({ javaScriptEnabled }) => {
  it.each(["public", "confidential"] as const)("lets a %s app in, which gets its token", async (type) => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, type)]);
    const going = await setOut(page, app, { scope: "read" });
    await sees(page, "Sign in");
    await typeCredentials(page, owner);
    await sees(page, "Allow Field Notes?");
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual(["Read what you may read there"]);
    expect(await page.getByRole("main").innerText()).toContain("Acme & Daughters");
    await press(page, "Allow");
    expect((await exchange(page, going)).scope).toBe("read");
  });

  it("reports a wrong password, keeps the email, and accepts the right password", async () => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, app);
    await typeCredentials(page, { ...owner, password: "not the right one" });
    await isTold(page, "wrong");
    expect(await page.getByLabel("Password").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Email").inputValue()).toBe(owner.email);
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    expect(await page.locator("*:focus").getAttribute("type")).toBe("password");
    await page.getByLabel("Password").fill(owner.password);
    await page.keyboard.press("Enter");
    await allow(page);
    expect(await actsFor(page, going)).toEqual({ email: owner.email, organization: "Acme & Daughters" });
  });

  it("returns to the app when the person denies the request", async () => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, app);
    await typeCredentials(page, owner);
    await press(page, "Do not allow");
    const answer = await arrival(page, going);
    expect(answer.get("error")).toBe("access_denied");
    expect(answer.has("code")).toBe(false);
  });

  it("sends members of another organization back, or lets them sign in as somebody else", async () => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const refused = await setOut(page, app);
    await typeCredentials(page, stranger);
    await sees(page, "You cannot use Field Notes");
    expect(await page.getByRole("button", { name: /^Allow/ }).count()).toBe(0);
    await press(page, "Back to Field Notes");
    expect((await arrival(page, refused)).get("error")).toBe("access_denied");

    const going = await setOut(page, app);
    await sees(page, "You cannot use Field Notes");
    await press(page, /somebody else/);
    await sees(page, "Sign in");
    expect(await page.getByLabel("Email").inputValue()).toBe("");
    await typeCredentials(page, owner);
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(owner.email);
  });

  it("asks only for consent when a second app is used in the same browser", async () => {
    const page = await openWindow({ javaScriptEnabled });
    const [first, second] = await Promise.all([startApp(owner, "public"), startApp(owner, "confidential", "Ledger")]);
    const firstGoing = await setOut(page, first);
    await typeCredentials(page, owner);
    await allow(page);
    await exchange(page, firstGoing);
    const going = await setOut(page, second);
    await sees(page, "Allow Ledger?");
    expect(await page.getByRole("main").innerText()).toContain(owner.email);
    await press(page, "Allow");
    expect((await actsFor(page, going)).email).toBe(owner.email);
  });
});

const COMMAND_LINE = { client_id: "tenantry-cli", client_secret: "", name: "the command line" };

describe.each(scripting)("an app that works in any organization, $scripts", ({ javaScriptEnabled }) => {
  it("works in the organization that the person chooses", async () => {
    const user = await addUser(owner.organizationId);
    await joinOrganization(user, stranger.organizationId);
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, { ...app, ...COMMAND_LINE });
    await typeCredentials(page, user);
    await page.getByRole("group", { name: "In which organization?" }).waitFor();
    expect(await page.getByRole("radio").count()).toBe(2);
    expect(await page.getByRole("radio", { name: "Acme & Daughters" }).isChecked()).toBe(true);
    await page.getByRole("radio", { name: "Umbrella" }).check();
    await allow(page);
    expect(await actsFor(page, going)).toEqual({ email: user.email, organization: "Umbrella" });
  });
});
