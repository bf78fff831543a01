import { expect, test } from "vitest";
import { setUpApp } from "../endpoints/identity/second-factors.ts";
import { alsoIn, requireFactor } from "../endpoints/identity/strict.ts";
import { registerOrganization } from "../platform.ts";
import { signedInMachine } from "./command.ts";

test("the command line asks for a new sign-in if an organization begins to require a second factor, and not for others", async () => {
  const [lax, owner] = await Promise.all([registerOrganization(), registerOrganization()]);
  await setUpApp(owner);
  const person = await alsoIn(lax, owner.organizationId);
  const [device, elsewhere] = [await signedInMachine(person), await signedInMachine(person)];
  const there = ["whoami", "--organization", owner.organizationId];
  expect((await device.run(there)).code).toBe(0);
  await requireFactor(owner);
  const refused = { code: 3, stderr: expect.stringMatching(/requires a second factor.*tenantry login/s) };
  expect(await device.run(there)).toMatchObject(refused);
  // This profile has no token for it yet and would have to switch.
  expect(await elsewhere.run(there)).toMatchObject(refused);
  for (const one of [device, elsewhere]) {
    expect((await one.run(["whoami", "--organization", lax.organizationId])).code).toBe(0);
  }
});
