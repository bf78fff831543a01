import { describe, expect, it } from "vitest";
import { addUser, confirmEmail, http, invokeOperation, registerOrganization, signIn } from "../../platform.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { newEmail, newPassword } from "./people.ts";
import { load } from "./sessions.ts";

useOwner();

interface UserRecord {
  _id: string;
  organization_id: string;
  organizations: { id: string }[];
}

const createUser = (input: Record<string, unknown>) =>
  invokeOperation<{ id: string; email: string }>("create-user", {
    organization_id: owner.organizationId,
    email: newEmail(),
    name: "Mia Member",
    password: newPassword,
    ...input,
  });

describe("create-user", () => {
  it("adds a person who can sign in, with the standard member's permission", async () => {
    const email = newEmail();
    const answer = await createUser({ email: email.toUpperCase() });
    expect(answer).toEqual({ id: expect.any(String), email, invited: false });
    const { body } = await load((await signIn(email, newPassword)).token);
    expect(body.user).toMatchObject({
      id: answer.id,
      name: "Mia Member",
      is_account_owner: false,
      is_account_admin: false,
    });
    expect(body.permissions).toMatchObject([{ name: "Standard member" }]);
  });

  it("accepts permissions by id and by name, and the flags of an account", async () => {
    const email = newEmail();
    const { body: listed } = await http.get("/v1/object/permission", { token: owner.token, expect: 200 });
    const { id } = listed[0];
    await createUser({ email, permissions: [id], is_account_admin: true, is_account_owner: true });
    const { body } = await load((await signIn(email, newPassword)).token);
    expect(body.user).toMatchObject({ is_account_owner: true, is_account_admin: true, permissions: [id] });
  });

  it("changes nothing when it is repeated, also concurrently", async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 4 }, () => createUser({ email })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    await createUser({ email, password: "another password entirely", is_account_admin: true });
    const { body } = await load((await signIn(email, newPassword)).token);
    expect(body.user.is_account_admin).toBe(false);
    expect(body.organizations).toHaveLength(1);
  });

  it("adds a person of another organization, who keeps their password and sees both", async () => {
    const user = await addUser(owner.organizationId);
    await confirmEmail(user);
    const other = await registerOrganization("Other");
    const answer = await createUser({
      organization_id: other.organizationId,
      email: user.email,
      password: "ignored password",
    });
    expect(answer.id).toBe(user.id);
    const { body } = await load((await signIn(user.email)).token);
    const ids = [owner.organizationId, other.organizationId];
    expect(body.organizations.map(({ id }: { id: string }) => id)).toEqual(ids);
    for (const id of ids) {
      const record = await mongo.db(id).collection<UserRecord>("user").findOne({ _id: user.id });
      expect(record?.organizations.map((entry) => entry.id)).toEqual([id]);
      expect(record?.organization_id).toBe(id);
    }
  });

  it.each([
    [{ organization_id: "org_0000000000000000" }, "record_not_found", "no active organization"],
    [{ permissions: ["No such thing"] }, "validation_failed", "No such thing"],
    [{ email: "nobody" }, "validation_failed", "email: A valid email address is required."],
    [{ password: "short" }, "validation_failed", "at least 10 characters"],
    [{ surprise: 1 }, "validation_failed", "surprise"],
  ])("refuses %j as %s", async (input, name, message) => {
    const error = await createUser(input).catch((raised: unknown) => raised);
    expect(error).toMatchObject({ name, message: expect.stringContaining(message) });
  });

  it("never repeats a password in its errors", async () => {
    const error = await createUser({ password: "hunter2", email: "x" }).catch((raised: unknown) => raised);
    expect(String((error as Error).message)).not.toContain("hunter2");
  });
});

describe("grant-superuser", () => {
  it("takes effect in existing sessions, as revoking does", async () => {
    const user = await addUser(owner.organizationId);
    await confirmEmail(user);
    const grant = (granted: boolean) => invokeOperation("grant-superuser", { email: user.email, granted });
    expect(await grant(true)).toEqual({ id: user.id, email: user.email, is_superuser: true });
    expect((await load(user.token)).body.user.is_superuser).toBe(true);
    expect((await load((await signIn(user.email)).token)).body.user.is_superuser).toBe(true);
    expect(await grant(false)).toMatchObject({ is_superuser: false });
    expect((await load(user.token)).body.user.is_superuser).toBe(false);
  });

  it("leaves no superuser session when somebody signs in during the revocation", async () => {
    const user = await addUser(owner.organizationId);
    await confirmEmail(user);
    const grant = (granted: boolean) => invokeOperation("grant-superuser", { email: user.email, granted });
    await grant(true);
    const [, ...signedIn] = await Promise.all([grant(false), ...Array.from({ length: 4 }, () => signIn(user.email))]);
    for (const { token } of signedIn) expect((await load(token)).body.user.is_superuser).toBe(false);
  });

  it("refuses an email without an account", async () => {
    const error = await invokeOperation("grant-superuser", { email: newEmail(), granted: true }).catch(
      (raised: unknown) => raised,
    );
    expect(error).toMatchObject({ name: "record_not_found" });
  });
});
