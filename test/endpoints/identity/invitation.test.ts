import { beforeAll, describe, expect, it } from "vitest";
import { http, invokeOperation, mailsTo, registerOrganization, signIn, type User } from "../../platform.ts";
import { Browser } from "../sign-in/browser.ts";
import { mailedLink } from "../sign-in/mailed-link.ts";
import { load } from "./mailbox.ts";
import { newEmail } from "./people.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization("Analytical Engines");
});

const chosen = "a passphrase of one's own choice";

const create = (email: string, more: object = {}): Promise<{ id: string; invited: boolean }> =>
  invokeOperation("create-user", { organization_id: owner.organizationId, email, name: "Grace Hopper", ...more });

describe("a person whom an operator adds without a password", () => {
  it("is mailed a link to set one, and nobody can sign in before", async () => {
    const email = newEmail();
    const { id, invited } = await create(email);
    expect(invited).toBe(true);
    expect((await mailsTo(email)).map(({ headers }) => headers.subject)).toEqual(["Your new account"]);
    expect((await mailsTo(email))[0]?.text).not.toMatch(/Grace|Analytical/);
    const form = { username: email, password: "none" };
    expect((await http.post("/v1/oauth2/login", { form })).body.code).toBe("invalid_credentials");

    const browser = new Browser();
    const page = await browser.open(await mailedLink(email, "reset-password"));
    const done = await browser.submit(page, "reset-password", { password: chosen });
    expect(done.heading).toBe("Your password is changed");
    const user = await signIn(email, chosen);
    expect([user.id, user.organizationId]).toEqual([id, owner.organizationId]);
    expect((await load(user.token)).user.email_confirmed).toBe(true);
    expect((await browser.submit(page, "reset-password", { password: chosen })).status).toBe(422);
  });

  it("is mailed again when the call is repeated, at most three times and only until they have a password", async () => {
    const email = newEmail();
    for (let call = 0; call < 3; call += 1) expect((await create(email)).invited).toBe(true);
    expect(new Set((await mailsTo(email)).map(({ text }) => /tpi_\S+/.exec(text)?.[0])).size).toBe(3);
    await expect(create(email)).rejects.toMatchObject({ name: "too_many_attempts" });
    await http.post("/v1/forgot-password", { body: { email }, expect: 202 });
    expect((await mailsTo(email)).map(({ headers }) => headers.subject)).toContain("Set a new password");
    const token = /Your token is (\S+)/.exec((await mailsTo(email))[0]?.text ?? "")?.[1];
    await http.post("/v1/reset-password", { body: { token, password: chosen }, expect: 204 });
    const second = /Your token is (\S+)/.exec((await mailsTo(email))[1]?.text ?? "")?.[1];
    expect((await http.post("/v1/reset-password", { body: { token: second, password: chosen } })).status).toBe(400);
    expect(await create(email)).toMatchObject({ invited: false });
  });

  it("joins without a mail if they have confirmed their email elsewhere, and keeps their password", async () => {
    const other = await registerOrganization();
    const email = newEmail();
    await create(email);
    const token = /Your token is (\S+)/.exec((await mailsTo(email))[0]?.text ?? "")?.[1];
    await http.post("/v1/reset-password", { body: { token, password: chosen }, expect: 204 });
    const before = (await mailsTo(email)).length;
    expect((await create(email, { organization_id: other.organizationId })).invited).toBe(false);
    expect(await mailsTo(email)).toHaveLength(before);
    expect((await load((await signIn(email, chosen)).token)).organizations).toHaveLength(2);
  });

  it("is not mailed when the operator has chosen a password", async () => {
    const email = newEmail();
    expect((await create(email, { password: chosen })).invited).toBe(false);
    expect(await mailsTo(email)).toEqual([]);
    await signIn(email, chosen);
  });
});
