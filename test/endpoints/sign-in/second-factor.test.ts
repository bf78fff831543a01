import { beforeAll, describe, expect, it } from "vitest";
import { addUser, createUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { REDIRECT } from "../identity/apps.ts";
import { appCode, mailedCode, type Person, signInByMail, wrongCode } from "../identity/second-factors.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { answerAt, Browser, type Page } from "./browser.ts";

let owner: User;
let app: AskingApp;
beforeAll(async () => {
  owner = await registerOrganization();
  app = await askingApp(owner, { name: "Ledger" });
});

const newPerson = (): Promise<Person> => createUser(owner.organizationId, { twoFactor: "email" });
const begin = (browser: Browser, person: Person): Promise<Page> => enterPassword(browser, person, app.request());
const numberOn = (page: Page): string => /<p class="number">(\d\d)<\/p>/.exec(page.text)?.[1] ?? "";
const sessionId = (browser: Browser): string => browser.cookies.get("tenantry-waiting") ?? "";
const allowed = async (browser: Browser, decision: Page): Promise<string | null> =>
  answerAt(await browser.submit(decision, "decision", { decision: "allow" }), REDIRECT).get("code");

describe("a person whose account is mailed a code", () => {
  it("enters the code on the page and goes on", async () => {
    const person = await newPerson();
    const browser = new Browser();
    const page = await begin(browser, person);
    expect(page.heading).toBe("Enter your code");
    expect(page.text).toContain(person.email);
    expect(page.text).not.toContain(await mailedCode(person));
    expect(browser.cookies.has("tenantry-session")).toBe(false);
    const wrong = await browser.submit(page, "code", { code: wrongCode(await mailedCode(person)) });
    expect(wrong.status).toBe(422);
    expect(wrong.title).toBe("Problem: Enter your code · Tenantry");
    expect(wrong.alert).toBe("The code is wrong or has expired.");
    const decision = await browser.submit(wrong, "code", {
      code: ` ${(await mailedCode(person)).replace(/^.../, "$& ")} `,
    });
    expect(decision.heading).toBe("Allow Ledger?");
    expect(browser.cookies.has("tenantry-waiting")).toBe(false);
    expect(await allowed(browser, decision)).toMatch(/^tac_/);
  });

  it("is signed in once when another device approves with the number", async () => {
    const person = await newPerson();
    const { token } = await signInByMail(person);
    const browser = new Browser();
    const page = await begin(browser, person);
    expect(page.headers.get("x-sign-in-status")).toBe("pending");
    const early = await browser.submit(page, "approval");
    expect(early.status).toBe(422);
    expect(early.alert).toBe("No device has approved it yet.");
    const body = { session_id: sessionId(browser), number: numberOn(page) };
    await http.post("/v1/oauth2/approve-2fa", { token, body, expect: 200 });
    expect((await browser.open(app.request())).headers.get("x-sign-in-status")).toBe("approved");
    const copy = new Browser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    const ends = await Promise.all([browser.submit(page, "approval"), copy.submit(page, "approval")]);
    expect(ends.map(({ heading }) => heading).sort()).toEqual(["Allow Ledger?", "Sign in"]);
  });

  it("is told that another device has rejected it", async () => {
    const person = await newPerson();
    const { token } = await signInByMail(person);
    const browser = new Browser();
    const page = await begin(browser, person);
    await http.post("/v1/oauth2/reject-2fa", { token, body: { session_id: sessionId(browser) }, expect: 200 });
    const told = await browser.submit(page, "approval");
    expect(told.heading).toBe("Sign in");
    expect(told.alert).toContain("rejected on another device");
    expect(told.headers.get("x-sign-in-status")).toBeNull();
    expect(browser.cookies.has("tenantry-session")).toBe(false);
    expect((await begin(browser, person)).heading).toBe("Enter your code");
  });

  it.each(["code", "approval"])(
    "begins again at the %s after the time is over or the password has changed",
    async (step) => {
      const person = await newPerson();
      const { token, id } = await signInByMail(person);
      const mongo = await databaseClient();
      const past = { $set: { expires_at: new Date() } };
      const expire = () => mongo.db("base").collection("login_request").updateMany({ user_id: id }, past);
      const passwords = { current_password: person.password, password: "another quite long passphrase" };
      const change = () => http.post("/v1/auth/password", { token, body: passwords, expect: 204 });
      for (const end of [expire, change]) {
        const browser = new Browser();
        const page = await begin(browser, person);
        const code = await mailedCode(person);
        await end();
        const told = await browser.submit(page, step, { code });
        expect([told.status, told.alert]).toEqual([422, "This sign-in has expired. Begin again."]);
        expect(browser.cookies.has("tenantry-waiting")).toBe(false);
        expect((await browser.open(app.request())).heading).toBe("Sign in");
      }
      await mongo.close();
    },
  );

  it("is not sent to the form repeatedly when the sign-in is approved and cannot be completed", async () => {
    const person = await newPerson();
    const { token, id } = await signInByMail(person);
    const browser = new Browser();
    const page = await begin(browser, person);
    expect(page.text).toContain("<script>");
    const body = { session_id: sessionId(browser), number: numberOn(page) };
    await http.post("/v1/oauth2/approve-2fa", { token, body, expect: 200 });
    await http.patch(`/v1/object/user/${id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    const refused = await browser.submit(page, "approval");
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain("<script>");
  });

  it("can begin again as somebody else, and the first sign-in is forgotten", async () => {
    const browser = new Browser();
    const page = await begin(browser, await newPerson());
    const first = await browser.submit(page, "sign-out");
    expect(first.heading).toBe("Sign in");
    expect(browser.cookies.has("tenantry-waiting")).toBe(false);
  });

  it("can enter five wrong codes, and then no right one", async () => {
    const person = await newPerson();
    const browser = new Browser();
    let page = await begin(browser, person);
    const code = await mailedCode(person);
    for (let attempt = 0; attempt < 5; attempt += 1)
      page = await browser.submit(page, "code", { code: wrongCode(code) });
    expect((await browser.submit(page, "code", { code })).alert).toBe("The code is wrong or has expired.");
    expect(browser.cookies.has("tenantry-session")).toBe(false);
  });

  it("is refused while five sign-ins of the account wait", async () => {
    const person = await newPerson();
    for (let attempt = 0; attempt < 5; attempt += 1) await begin(new Browser(), person);
    const page = await begin(new Browser(), person);
    expect(page.status).toBe(429);
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(500);
    expect(page.alert).toBe(
      "Too many sign-ins of this account wait for their second factor. Wait 10 minutes and try again.",
    );
  });
});

describe("a person with an authenticator app", () => {
  it("enters its code or a recovery code, each only once", async () => {
    const member = await addUser(owner.organizationId);
    const { token, password } = member;
    const { secret } = (await http.post("/v1/auth/totp", { token, body: { password }, expect: 200 })).body;
    const body = { code: appCode(secret, -1) };
    const { recovery_codes } = (await http.post("/v1/auth/totp/confirm", { token, body, expect: 200 })).body;
    const browser = new Browser();
    const page = await begin(browser, member);
    expect(page.text).toContain("authenticator app");
    expect((await browser.submit(page, "code", body)).status).toBe(422);
    const decision = await browser.submit(page, "code", { code: appCode(secret) });
    expect(decision.heading).toBe("Allow Ledger?");
    const other = new Browser();
    const recovered = await other.submit(await begin(other, member), "code", { code: recovery_codes[0] });
    expect(recovered.heading).toBe("Allow Ledger?");
    const third = new Browser();
    expect((await third.submit(await begin(third, member), "code", { code: recovery_codes[0] })).status).toBe(422);
  });
});
