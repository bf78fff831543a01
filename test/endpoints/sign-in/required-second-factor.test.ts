import { beforeAll, describe, expect, it } from "vitest";
import { addUser, createUser, type HttpReply, mailsTo, registerOrganization, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { askToken, consent, errorOf, exchange, letIn, REDIRECT, refreshed, registerApp } from "../identity/apps.ts";
import { mailedCode, setUpApp, signInByMail } from "../identity/second-factors.ts";
import { load } from "../identity/sessions.ts";
import { alsoIn, requireFactor, strictOrganization } from "../identity/strict.ts";
import { type AskingApp, askingApp, enterPassword } from "./app.ts";
import { answerAt, Browser, type Page } from "./browser.ts";

let lax: User;
let strict: User;
let ledger: AskingApp;
beforeAll(async () => {
  [lax, strict] = await Promise.all([registerOrganization("Lax"), strictOrganization()]);
  ledger = await askingApp(strict, { name: "Ledger" });
});

const LOOPBACK = "http://127.0.0.1:49152/callback";

/** An organization that does not require a second factor yet, a member who is signed in without one, and an app. */
const undecided = async () => {
  const owner = await registerOrganization("Undecided");
  await setUpApp(owner);
  return { owner, member: await addUser(owner.organizationId), app: await registerApp(owner.token) };
};

describe("an app", () => {
  it("acts for a person who has given a second factor", async () => {
    const { token } = await signInByMail(await createUser(strict.organizationId));
    const app = await registerApp(strict.token);
    const tokens = await letIn(token, app);
    expect((await load(tokens.access_token)).status).toBe(200);
    const next = await refreshed(app, tokens.refresh_token);
    expect((await load(next.body.access_token)).status).toBe(200);
  });

  it("403: is refused from the next request on if the person has not, as is its refresh token", async () => {
    const { owner, member, app } = await undecided();
    const tokens = await letIn(member.token, app);
    await requireFactor(owner);
    expect((await load(tokens.access_token)).body.code).toBe("second_factor_required");
    const refused = await refreshed(app, tokens.refresh_token);
    expect(errorOf(refused)).toBe("400 invalid_grant");
    expect(refused.body.error_description).toContain("requires a second factor");
    await requireFactor(owner, false);
    expect((await load(tokens.access_token)).status).toBe(200);
    expect((await refreshed(app, tokens.refresh_token)).status).toBe(200);
  });

  it("gets no code from a session without one, and no token for an earlier code", async () => {
    const { owner, member, app } = await undecided();
    const { code } = (await consent(member.token, app)).body;
    await requireFactor(owner);
    const refused = await consent(member.token, app);
    expect(`${refused.status} ${refused.body.code}`).toBe("403 second_factor_required");
    const exchanged = await exchange(app, code);
    expect(errorOf(exchanged)).toBe("400 invalid_grant");
    expect(exchanged.body.error_description).toContain("requires a second factor");
  });

  it("is exempt if it acts alone", async () => {
    const { owner, member } = await undecided();
    const { client_id, client_secret } = await registerApp(owner.token, { run_as: member.id, scopes: ["read"] });
    await requireFactor(owner);
    const { body } = await askToken({ grant_type: "client_credentials", client_id, client_secret });
    expect((await load(body.access_token)).body.user.id).toBe(member.id);
  });
});

describe("the pages", () => {
  const allow = async (browser: Browser, decision: Page): Promise<HttpReply> => {
    const end = await browser.submit(decision, "decision", { decision: "allow" });
    const code = answerAt(end, REDIRECT).get("code") ?? "";
    return exchange(ledger, code, { code_verifier: ledger.verifier });
  };

  it("ask a person without a factor of their own for a mailed code, and then authorize the app", async () => {
    const person = await createUser(strict.organizationId);
    const browser = new Browser();
    const page = await enterPassword(browser, person, ledger.request());
    expect(page.heading).toBe("Enter your code");
    expect(page.text).toContain("We have sent a code of six digits");
    expect(browser.cookies.has("tenantry-session")).toBe(false);
    const decision = await browser.submit(page, "code", { code: await mailedCode(person) });
    expect(decision.heading).toBe("Allow Ledger?");
    const { body } = await allow(browser, decision);
    expect((await load(body.access_token)).body.organization.id).toBe(strict.organizationId);
  });

  it("require a code in a browser that was signed in before, and lead to it", async () => {
    const owner = await registerOrganization("Undecided");
    await setUpApp(owner);
    const person = await alsoIn(lax, owner.organizationId);
    const notes = await askingApp(owner, { name: "Notes" });
    const browser = new Browser();
    const decision = await enterPassword(browser, person, notes.request());
    expect(decision.heading).toBe("Allow Notes?");
    await requireFactor(owner);
    const mails = (await mailsTo(person.email)).length;
    const refused = await browser.submit(decision, "decision", { decision: "allow" });
    expect(refused.status).toBe(422);
    expect(refused.alert).toBe("This organization requires a second factor. Sign in again: you will be asked for one.");
    const again = await browser.submit(refused, "sign-out");
    const code = await browser.submit(again, "password", { username: person.email, password: person.password });
    expect(code.heading).toBe("Enter your code");
    expect(await mailsTo(person.email)).toHaveLength(mails + 1);
    const asked = await browser.submit(code, "code", { code: await mailedCode(person) });
    answerAt(await browser.submit(asked, "decision", { decision: "allow" }), REDIRECT);
  });

  it("let the person in such a browser choose another organization for the command line", async () => {
    const owner = await registerOrganization("Undecided");
    await setUpApp(owner);
    const person = await alsoIn(lax, owner.organizationId);
    const browser = new Browser();
    const path = ledger.request({ client_id: "tenantry-cli", redirect_uri: LOOPBACK });
    const decision = await enterPassword(browser, person, path);
    await requireFactor(owner);
    const choose = (organization_id: string) =>
      browser.submit(decision, "decision", { decision: "allow", organization_id });
    expect((await choose(owner.organizationId)).alert).toContain("requires a second factor");
    const code = answerAt(await choose(lax.organizationId), LOOPBACK).get("code") ?? "";
    const cli = { client_id: "tenantry-cli", client_secret: "", redirect_uri: LOOPBACK };
    const { body } = await exchange(cli, code, { code_verifier: ledger.verifier });
    expect(claimsOf(body.access_token).org).toBe(lax.organizationId);
    expect((await load(body.access_token)).status).toBe(200);
  });
});
