import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../platform.ts";
import { actsFor, setOut, startApp } from "./app.ts";
import { allow, isTold, mailedLink, press, sees, typeCredentials } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const password = "another quite long passphrase";

describe.each(scripting)("a forgotten password $scripts", ({ javaScriptEnabled }) => {
  it("is replaced with the mailed link, and the person signs in with the new one", async () => {
    const user = await addUser(owner.organizationId);
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const going = await setOut(page, app);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("Email").fill(user.email);
    await press(page, "Send the link");
    await sees(page, "Check your mail");
    await expect.poll(() => mailedLink(user.email)).not.toBe("");

    // The mail is opened in another browser, which is not signed in.
    const mail = await openWindow({ javaScriptEnabled });
    await mail.goto(await mailedLink(user.email));
    await sees(mail, "Set a new password");
    await mail.getByLabel("New password").fill("short");
    await press(mail, "Set the password");
    await isTold(mail, "characters");
    await mail.getByLabel("New password").fill(password);
    await press(mail, "Set the password");
    await sees(mail, "Your password is changed");
    expect((await http.get("/v1/auth/load", { token: user.token })).status).toBe(401);

    await mail.goto(await mailedLink(user.email));
    await mail.getByLabel("New password").fill("a third quite long passphrase");
    await press(mail, "Set the password");
    await sees(mail, "This link no longer works");

    await page.getByRole("link", { name: "Back to signing in" }).click();
    await typeCredentials(page, { email: user.email, password: user.password });
    await isTold(page, "wrong");
    await typeCredentials(page, { email: user.email, password });
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(user.email);
  });

  it("gives the same answer for an address without an account, and reports a malformed one", async () => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    await setOut(page, app);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    // The browser's own validation accepts this address.
    await page.getByLabel("Email").fill("nobody@nowhere");
    await press(page, "Send the link");
    await isTold(page, "no email address");
    await page.getByLabel("Email").fill("nobody@example.test");
    await press(page, "Send the link");
    await sees(page, "Check your mail");
  });
});
