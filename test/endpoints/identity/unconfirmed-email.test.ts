import { describe, expect, it } from "vitest";
import {
  confirmationTokenOf,
  confirmEmail,
  createUser,
  http,
  invokeOperation,
  mailsTo,
  registerOrganization,
  signIn,
} from "../../platform.ts";
import { auditOf, confirm, forgot, load, nextPassword, reset } from "./mailbox.ts";
import { owner as company, mongo, useOwner } from "./owner.ts";
import { login, setUpApp } from "./second-factors.ts";

useOwner();

const base = () => mongo.db("base");
const identity = (email: string) => base().collection("user").findOne({ email });
const join = (email: string, organization_id = company.organizationId) =>
  invokeOperation("create-user", { organization_id, email, name: "Mia Member", password: nextPassword });
const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "not refused",
    (error: Error) => error.name,
  );

describe("a password that is reset by mail", () => {
  it("removes the sessions and the authenticator app of a stranger who registered with this email", async () => {
    const stranger = await registerOrganization();
    await setUpApp(stranger);
    expect((await reset(await forgot(stranger.email))).status).toBe(204);
    expect((await http.get("/v1/auth/load", { token: stranger.token })).status).toBe(401);
    expect((await login(stranger)).status).toBe(401);
    const owner = await signIn(stranger.email, nextPassword);
    expect((await auditOf(owner)).filter((type) => ["email_confirmed", "totp_disabled"].includes(type))).toHaveLength(
      2,
    );
    const stored = await identity(owner.email);
    expect(stored).toMatchObject({ two_factor: "off", email_confirmed: true });
    expect(stored).not.toHaveProperty("totp");
    expect((await mailsTo(owner.email)).at(-1)?.text).toContain(
      "The authenticator app and its recovery codes count no longer",
    );
  });

  it("removes an enrolment that the stranger has begun", async () => {
    const stranger = await registerOrganization();
    const { token, password } = stranger;
    await http.post("/v1/auth/totp", { token, body: { password }, expect: 200 });
    await reset(await forgot(stranger.email));
    expect(await identity(stranger.email)).not.toHaveProperty("totp_enrolment");
  });

  it("keeps the authenticator app, and codes by mail, of a person whose email was confirmed", async () => {
    const user = await registerOrganization();
    await confirmEmail(user);
    await setUpApp(user);
    const { email } = await createUser(company.organizationId, { twoFactor: "email" });
    for (const person of [user.email, email]) {
      expect((await reset(await forgot(person))).status).toBe(204);
      expect((await login({ email: person, password: nextPassword })).body.two_fa_required).toBe(true);
      expect((await mailsTo(person)).map(({ headers }) => headers.subject)).toContain("A new password was set");
    }
  });

  it("restores the code by mail that an unconfirmed account had before its authenticator app", async () => {
    const { email } = await createUser(company.organizationId);
    await base()
      .collection("user")
      .updateOne({ email }, { $set: { two_factor: "totp", totp: { before: "email" } } });
    await reset(await forgot(email));
    expect(await identity(email)).toMatchObject({ two_factor: "email" });
  });

  it("takes effect together with a concurrent confirmation", async () => {
    for (let round = 0; round < 4; round += 1) {
      const user = await registerOrganization();
      await setUpApp(user);
      const token = await forgot(user.email);
      const [confirmed, changed] = await Promise.all([confirm(await confirmationTokenOf(user.email)), reset(token)]);
      expect([204, 400, 403]).toContain(confirmed.status);
      expect(changed.status).toBe(204);
      expect(await identity(user.email)).toMatchObject({ email_confirmed: true });
      // The order decides whether the app stays.
      expect((await login({ email: user.email, password: nextPassword })).body.two_fa_required === true).toBe(
        confirmed.status === 204,
      );
    }
  });
});

describe("a person whose email is not confirmed", () => {
  it("is added to no other organization until it is confirmed, and nothing is left behind", async () => {
    const user = await registerOrganization();
    expect(await refusalOf(join(user.email))).toBe("email_not_confirmed");
    const q = `SELECT id FROM user WHERE email = '${user.email}'`;
    const found = async () => (await http.get("/v1/query", { token: company.token, query: { q } })).body.records;
    expect(await found()).toEqual([]);
    expect((await load(user.token)).organizations).toHaveLength(1);
    await confirm(await confirmationTokenOf(user.email));
    await join(user.email);
    expect(await found()).toEqual([{ id: user.id }]);
    expect((await load(user.token)).organizations).toHaveLength(2);
  });

  it("is reported to operators with what to do", async () => {
    const { email } = await registerOrganization();
    await expect(join(email)).rejects.toThrow(/confirm it, with the mail .* forgotten it/);
  });

  it("joins one organization if several create the account at once", async () => {
    const others = await Promise.all([registerOrganization(), registerOrganization(), registerOrganization()]);
    const email = `wanted-${others[0]?.id}@example.test`;
    const answers = await Promise.all(others.map(({ organizationId }) => refusalOf(join(email, organizationId))));
    expect(answers.toSorted()).toEqual(["email_not_confirmed", "email_not_confirmed", "not refused"]);
    expect((await load((await signIn(email, nextPassword)).token)).organizations).toHaveLength(1);
  });

  it("joins the organization that created the account also after an interruption", async () => {
    const person = await createUser(company.organizationId);
    const { email } = person;
    await mongo.db(company.organizationId).collection("user").deleteOne({ email });
    expect((await login(person)).body.code).toBe("not_a_member");
    await join(email);
    expect((await load((await signIn(email)).token)).organizations).toHaveLength(1);
  });

  it("cannot become a superuser, but these rights can be revoked", async () => {
    const user = await registerOrganization();
    const grant = (granted: boolean) => invokeOperation("grant-superuser", { email: user.email, granted });
    expect(await refusalOf(grant(true))).toBe("email_not_confirmed");
    expect(await grant(false)).toMatchObject({ is_superuser: false });
    await confirm(await confirmationTokenOf(user.email));
    expect(await grant(true)).toMatchObject({ is_superuser: true });
  });
});
