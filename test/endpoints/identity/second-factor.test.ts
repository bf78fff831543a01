import { describe, expect, it } from "vitest";
import { attemptKey } from "#shared/identity/sign-in/address";
import { addUser, createUser, type HttpReply, http, mailsTo, signIn } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { begin, decide, login, mailedCode, memberWithMail, type Person, verify, wrongCode } from "./second-factors.ts";

useOwner();

const stored = (name: string) => mongo.db("base").collection<{ _id: string }>(name);
const requests = () => mongo.db("base").collection("login_request");
const newPerson = (): Promise<Person> => createUser(owner.organizationId, { twoFactor: "email" });
const status = (email: string, session_id: string): Promise<HttpReply> =>
  http.get("/v1/oauth2/login-status", { query: { email, session_id } });
/** Only this person's, because other tests' sign-ins are in the same collection. */
const requestsOf = async ({ email }: Person) => ({
  user_id: (await mongo.db("base").collection<{ _id: string }>("user").findOne({ email }))?._id,
});

const changePassword = async (email: string): Promise<void> => {
  const users = mongo.db("base").collection("user");
  const other = await users.findOne({ email: owner.email });
  await users.updateOne({ email }, { $set: { password_hash: other?.password_hash } });
};

/** A person with a second factor who is signed in on one device. */
const signedIn = () => memberWithMail(owner.organizationId);

describe("POST /v1/oauth2/login of an account with a code by mail", () => {
  it("answers a TwoFAResponse and mails six digits, which are stored as a hash only", async () => {
    const person = await newPerson();
    const reply = await login(person);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(reply.body).toEqual({
      detail: "2FA Required",
      two_fa_required: true,
      email: person.email,
      session_id: expect.stringMatching(/^tls_[\w-]{43}$/),
      number: expect.stringMatching(/^[1-9]\d$/),
    });
    const [mail, ...more] = await mailsTo(person.email);
    expect(more).toEqual([]);
    expect(mail?.headers).toMatchObject({ to: person.email, subject: "Your sign-in code" });
    expect(mail?.text).toContain("127.0.0.1");
    const requests = JSON.stringify(await stored("login_request").find().toArray());
    expect(requests).not.toContain(await mailedCode(person));
    expect(requests).not.toContain(reply.body.session_id);
  });

  it("429: refuses a sixth sign-in while five wait, also with concurrent requests", async () => {
    const person = await newPerson();
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => login(person)))).map((reply) => reply.status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await mailsTo(person.email)).toHaveLength(5);
    const sixth = await login(person);
    expect(sixth.body.code).toBe("too_many_attempts");
    expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(9 * 60);
  });

  it("does not ask for a code after a wrong password", async () => {
    const person = await newPerson();
    expect((await login({ ...person, password: "some wrong password" })).status).toBe(401);
    expect(await mailsTo(person.email)).toEqual([]);
  });
});

describe("POST /v1/oauth2/verify-2fa", () => {
  it("signs in with the code, once", async () => {
    const person = await newPerson();
    const { session_id } = await begin(person);
    const code = await mailedCode(person);
    const reply = await verify(person, code, session_id);
    expect(reply.status).toBe(200);
    expect(claimsOf(reply.body.access_token)).toMatchObject({ org: owner.organizationId, email: person.email });
    expect((await http.get("/v1/auth/load", { token: reply.body.access_token })).status).toBe(200);
    expect((await verify(person, code, session_id)).status).toBe(401);
    expect((await status(person.email, session_id)).body).toEqual({ status: "completed" });
  });

  it("accepts one of twenty concurrent requests with the same code", async () => {
    const person = await newPerson();
    const { session_id } = await begin(person);
    const code = await mailedCode(person);
    const replies = await Promise.all(Array.from({ length: 20 }, () => verify(person, code, session_id)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    const token = replies.find((reply) => reply.status === 200)?.body.access_token;
    expect((await http.get("/v1/auth/session", { token, expect: 200 })).body.sessions).toHaveLength(1);
  });

  it("uses only the latest sign-in from the same address if there is no session_id", async () => {
    const person = await newPerson();
    await begin(person);
    const first = await mailedCode(person);
    const { session_id } = await begin(person);
    const second = await mailedCode(person);
    if (first !== second) expect((await verify(person, first)).status).toBe(401);
    await requests().updateMany(await requestsOf(person), { $set: { address: "192.0.2.7" } });
    expect((await verify(person, second)).status).toBe(401);
    expect((await verify(person, second, session_id)).status).toBe(200);
  });

  it("401: answers a wrong code, an unknown email, another person's and an unknown sign-in in the same way", async () => {
    const [person, other] = await Promise.all([newPerson(), newPerson()]);
    const [{ session_id }, foreign] = await Promise.all([begin(person), begin(other)]);
    const replies = [
      await verify(person, wrongCode(await mailedCode(person)), session_id),
      await verify({ email: "nobody@example.test" }, "123456", session_id),
      await verify(person, await mailedCode(other), foreign.session_id),
      await verify(person, await mailedCode(person), "tls_unknown"),
      await verify(person, "not a code at all", session_id),
    ];
    for (const { status: code, body } of replies) {
      expect({ code, ...body, request_id: "" }).toEqual({
        code: "invalid_code",
        detail: "The code is wrong or has expired.",
        request_id: "",
      });
      expect(code).toBe(401);
    }
  });

  it("401: refuses a code after five tries, after it expired, and after a change of the password", async () => {
    const person = await newPerson();
    const tried = await begin(person);
    const code = await mailedCode(person);
    for (let attempt = 0; attempt < 5; attempt += 1) await verify(person, wrongCode(code), tried.session_id);
    expect((await verify(person, code, tried.session_id)).status).toBe(401);
    const late = await begin(person);
    await requests().updateMany(await requestsOf(person), { $set: { expires_at: new Date(Date.now() - 1) } });
    expect((await verify(person, await mailedCode(person), late.session_id)).status).toBe(401);
    expect((await status(person.email, late.session_id)).body).toEqual({ status: "expired" });
    const changed = await begin(person);
    await changePassword(person.email);
    expect((await verify(person, await mailedCode(person), changed.session_id)).status).toBe(401);
  });

  it("429: allows thirty wrong codes an hour over all sign-ins of an account", async () => {
    const person = await newPerson();
    const refused = async (): Promise<number> => {
      const { session_id } = await begin(person);
      const wrong = wrongCode(await mailedCode(person));
      const replies = await Promise.all(Array.from({ length: 5 }, () => verify(person, wrong, session_id)));
      await requests().deleteMany({ ...(await requestsOf(person)), tries: 5 });
      return replies.filter((reply) => reply.status === 401).length;
    };
    for (let round = 0; round < 6; round += 1) expect(await refused()).toBe(5);
    const { session_id } = await begin(person);
    const code = await mailedCode(person);
    const locked = await verify(person, code, session_id);
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(59 * 60);
    const { _id } = (await mongo.db("base").collection("user").findOne({ email: person.email })) ?? {};
    const moved = await stored("login_attempt").updateOne(
      { _id: attemptKey("code", String(_id)) },
      { $set: { expires_at: new Date(Date.now() - 1) } },
    );
    expect(moved.matchedCount).toBe(1);
    expect((await verify(person, code, session_id)).status).toBe(200);
  });

  it("422: needs email and code", async () => {
    const reply = await http.post("/v1/oauth2/verify-2fa", { body: {} });
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toHaveLength(2);
  });
});

describe("approval from a signed-in device", () => {
  it("gives the token to the device that signs in, once of many concurrent requests", async () => {
    const person = await signedIn();
    const { session_id, number } = await begin(person);
    expect((await status(person.email, session_id)).body).toEqual({ status: "pending" });
    const approved = await decide("approve", person.token, { session_id, number });
    expect(approved.status).toBe(200);
    expect(approved.body).toMatchObject({ session_id, status: "approved" });
    const replies = await Promise.all(Array.from({ length: 10 }, () => status(person.email, session_id)));
    const handed = replies.filter(({ body }) => body.token !== undefined);
    expect(handed).toHaveLength(1);
    expect(handed[0]?.body.status).toBe("approved");
    expect((await http.get("/v1/auth/load", { token: handed[0]?.body.token.access_token })).status).toBe(200);
    expect((await status(person.email, session_id)).body).toEqual({ status: "completed" });
    expect((await verify(person, await mailedCode(person), session_id)).status).toBe(401);
  });

  it("403: requires the number that is shown, and allows few wrong ones", async () => {
    const person = await signedIn();
    const { session_id, number } = await begin(person);
    const wrong = number === "10" ? "11" : "10";
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await decide("approve", person.token, { session_id, number: wrong })).body.code).toBe("wrong_number");
    }
    expect((await decide("approve", person.token, { session_id, number })).status).toBe(403);
    expect((await status(person.email, session_id)).body).toEqual({ status: "pending" });
  });

  it("404: is refused for anybody else, even for an administrator", async () => {
    const person = await newPerson();
    const { session_id, number } = await begin(person);
    expect((await decide("approve", owner.token, { session_id, number })).body.code).toBe("sign_in_not_found");
    expect((await decide("reject", owner.token, { session_id })).body.code).toBe("sign_in_not_found");
    expect((await status(owner.email, session_id)).body).toEqual({ status: "expired" });
    expect((await status(person.email, session_id)).body).toEqual({ status: "pending" });
  });

  it("409: after a rejection neither code nor approval completes the sign-in", async () => {
    const person = await signedIn();
    const { session_id, number } = await begin(person);
    const code = await mailedCode(person);
    expect((await decide("reject", person.token, { session_id })).body.status).toBe("rejected");
    expect((await decide("approve", person.token, { session_id, number })).body.code).toBe("sign_in_decided");
    expect((await decide("reject", person.token, { session_id })).status).toBe(409);
    expect((await verify(person, code, session_id)).status).toBe(401);
    expect((await status(person.email, session_id)).body).toEqual({ status: "rejected" });
  });

  it("gives no token after the password has changed", async () => {
    const person = await signedIn();
    const { session_id, number } = await begin(person);
    await decide("approve", person.token, { session_id, number });
    await changePassword(person.email);
    expect((await status(person.email, session_id)).body).toEqual({ status: "expired" });
  });

  it("422: requires a session id and two digits", async () => {
    const person = await addUser(owner.organizationId);
    expect((await decide("approve", person.token, { number: "4" })).body.detail).toHaveLength(2);
    expect((await decide("reject", person.token, {})).status).toBe(422);
    expect((await http.get("/v1/oauth2/login-status")).status).toBe(422);
  });
});

describe("the session id of a waiting sign-in", () => {
  it("is not accepted as a token of any other kind", async () => {
    const person = await signedIn();
    const { session_id } = await begin(person);
    expect((await http.get("/v1/auth/load", { token: session_id })).status).toBe(401);
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token: session_id } })).status).toBe(401);
    const other = await signIn(owner.email);
    expect((await status(owner.email, other.refreshToken)).body).toEqual({ status: "expired" });
  });
});
