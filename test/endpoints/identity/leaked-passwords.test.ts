import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, invokeOperation, registerOrganization, signIn, type User } from "../../platform.ts";
import { forgot, reset } from "./mailbox.ts";
import { newEmail } from "./people.ts";

/** Only a list can have them: a product number, and a Russian word typed on an English keyboard. */
const leaked = ["4815162342", "ghjcnjgfhjkm", "Ghjcnjgfhjkm.2024"];

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const refused = { status: 422, body: { detail: [{ loc: ["body", "password"], type: "password_common" }] } };

describe("a leaked password", () => {
  it("is refused for a new organization", async () => {
    for (const password of leaked) {
      const body = { organization_name: "Analytical Engines", email: newEmail(), password };
      expect(await http.post("/v1/register", { body })).toMatchObject(refused);
    }
  });

  it("is refused in a change of the password", async () => {
    const user = await addUser(owner.organizationId);
    for (const password of leaked) {
      const body = { current_password: user.password, password };
      expect(await http.post("/v1/auth/password", { token: user.token, body })).toMatchObject(refused);
    }
    await signIn(user.email);
  });

  it("is refused with a mailed token, which stays valid", async () => {
    const user = await addUser(owner.organizationId);
    const token = await forgot(user.email);
    for (const password of leaked) expect(await reset(token, password)).toMatchObject(refused);
    expect((await reset(token, "an untouched passphrase")).status).toBe(204);
  });

  it("is refused from an operator", async () => {
    for (const password of leaked) {
      const user = { organization_id: owner.organizationId, email: newEmail(), name: "Mia Member", password };
      await expect(invokeOperation("create-user", user)).rejects.toThrow("attackers try");
    }
  });
});
