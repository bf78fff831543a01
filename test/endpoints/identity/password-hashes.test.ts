import { expect, it } from "vitest";
import { hashPassword } from "#shared/identity/credentials/password-hash";
import { addUser, createUser, http } from "../../platform.ts";
import { mongo, owner, useOwner } from "./owner.ts";

useOwner();

/** Runs against a platform with the costs of production (vitest.config.ts). */
const PRODUCTION_COSTS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

const storedHash = async (email: string): Promise<unknown> =>
  (await mongo.db("base").collection("user").findOne({ email }))?.password_hash;

const signIn = (username: string, password: string) =>
  http.post("/v1/oauth2/login", { form: { username, password }, expect: 200 });

it("a registration stores a password hash with OWASP's costs", async () => {
  expect(await storedHash(owner.email)).toMatch(PRODUCTION_COSTS);
});

it("a created user's password is stored as a hash with OWASP's costs", async () => {
  const user = await addUser(owner.organizationId);
  expect(await storedHash(user.email)).toMatch(PRODUCTION_COSTS);
});

it("a changed password is stored as a hash with OWASP's costs", async () => {
  const user = await addUser(owner.organizationId);
  const before = await storedHash(user.email);
  const body = { current_password: user.password, password: "a new passphrase of mine" };
  await http.post("/v1/auth/password", { token: user.token, body, expect: 204 });
  expect(await storedHash(user.email)).toMatch(PRODUCTION_COSTS);
  expect(await storedHash(user.email)).not.toBe(before);
});

it("a mailed code is stored as a hash with OWASP's costs", async () => {
  const { email, password } = await createUser(owner.organizationId, { twoFactor: "email" });
  expect((await signIn(email, password)).body.two_fa_required).toBe(true);
  const base = mongo.db("base");
  const identity = await base.collection("user").findOne({ email });
  const request = await base.collection("login_request").findOne({ user_id: identity?._id });
  expect(request?.code_hash).toMatch(PRODUCTION_COSTS);
});

it("a sign-in replaces a password hash with older costs", async () => {
  const user = await addUser(owner.organizationId);
  const old = await hashPassword(user.password, { memory: 64, passes: 1, parallelism: 1 });
  await mongo
    .db("base")
    .collection("user")
    .updateOne({ email: user.email }, { $set: { password_hash: old } });
  await signIn(user.email, user.password);
  expect(await storedHash(user.email)).toMatch(PRODUCTION_COSTS);
  await signIn(user.email, user.password);
});
