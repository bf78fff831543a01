import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { appCode, mailedCode, memberWithApp, type Person, wrongCode } from "../endpoints/identity/second-factors.ts";
import { createUser, http, registerOrganization, type User } from "../platform.ts";
import { actsFor, setOut, startApp } from "./app.ts";
import { allow, isTold, press, sees, typeCode, typeCredentials } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const personWithMail = (): Promise<Person> => createUser(owner.organizationId, { twoFactor: "email" });

const personWithApp = () => memberWithApp(owner.organizationId);

const begun = async (javaScriptEnabled: boolean, person: Person) => {
  const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
  const going = await setOut(page, app);
  await typeCredentials(page, person);
  await sees(page, "Enter your code");
  return { page, going };
};

/** The person's decision on a signed-in device, which asks for the number. */
const decideElsewhere = async (page: Page, token: string, verb: "approve" | "reject"): Promise<void> => {
  const number = /^\d\d$/m.exec(await page.getByRole("main").innerText())?.[0];
  const { body } = await http.get("/v1/auth/approval", { token, expect: 200 });
  const [{ session_id }] = body.sign_ins;
  const decided = verb === "approve" ? { session_id, number } : { session_id };
  await http.post(`/v1/oauth2/${verb}-2fa`, { token, body: decided, expect: 200 });
};

describe.each(scripting)("the second factor $scripts", ({ javaScriptEnabled }) => {
  it("accepts the code of a mail, after refusing a wrong one", async () => {
    const person = await personWithMail();
    const { page, going } = await begun(javaScriptEnabled, person);
    expect(await page.getByRole("main").innerText()).toContain(person.email);
    await typeCode(page, wrongCode(await mailedCode(person)));
    await isTold(page, "wrong");
    await typeCode(page, await mailedCode(person));
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(person.email);
  });

  it("accepts the code of an authenticator app", async () => {
    const person = await personWithApp();
    const { page, going } = await begun(javaScriptEnabled, person);
    await typeCode(page, appCode(person.secret, 1));
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(person.email);
  });

  it("accepts a code with the blank that authenticator apps show", async () => {
    const person = await personWithApp();
    const { page } = await begun(javaScriptEnabled, person);
    await typeCode(page, appCode(person.secret, 1).replace(/^(...)/, "$1 "));
    await sees(page, /^Allow /);
  });

  it("lets the person correct a code before sending it", async () => {
    const person = await personWithMail();
    const { page } = await begun(javaScriptEnabled, person);
    await typeCode(page, wrongCode(await mailedCode(person)));
    await isTold(page, "wrong");
    await page.getByLabel("Code").fill("12");
    // Longer than the polling interval of the page's script.
    await page.waitForTimeout(3500);
    expect(await page.getByLabel("Code").inputValue()).toBe("12");
    await isTold(page, "wrong");
    await typeCode(page, await mailedCode(person));
    await sees(page, /^Allow /);
  });

  it("accepts a recovery code once", async () => {
    const person = await personWithApp();
    const [code = ""] = person.recovery;
    const { page, going } = await begun(javaScriptEnabled, person);
    await typeCode(page, code);
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(person.email);
    const again = await begun(javaScriptEnabled, person);
    await typeCode(again.page, code);
    await isTold(again.page, "wrong");
  });

  it("can be an approval on another device, which needs the number of this sign-in", async () => {
    const person = await personWithApp();
    const { page, going } = await begun(javaScriptEnabled, person);
    if (!javaScriptEnabled) {
      await press(page, "I have approved it");
      await isTold(page, "No device has approved it yet");
      expect(await page.getByLabel("Code").getAttribute("aria-invalid")).toBeNull();
    }
    await decideElsewhere(page, person.token, "approve");
    // With scripts the page continues by itself.
    if (!javaScriptEnabled) await press(page, "I have approved it");
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(person.email);
  });

  it("can be rejected on another device: the sign-in begins again with a message", async () => {
    const person = await personWithApp();
    const { page } = await begun(javaScriptEnabled, person);
    await decideElsewhere(page, person.token, "reject");
    if (!javaScriptEnabled) await press(page, "I have approved it");
    await isTold(page, "rejected on another device");
    await sees(page, "Sign in");
    await typeCredentials(page, owner);
    await sees(page, /^Allow /);
  });

  it("can be left to sign in as somebody else", async () => {
    const { page, going } = await begun(javaScriptEnabled, await personWithMail());
    await press(page, /somebody else/);
    await typeCredentials(page, owner);
    await allow(page);
    expect((await actsFor(page, going)).email).toBe(owner.email);
  });
});
