import { describe, expect, it } from "vitest";
import { addUser, type HttpReply, http } from "../../platform.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { begin, decide, mailedCode, memberWithMail, type Person, verify, type Waiting } from "./second-factors.ts";

useOwner();

/** In a browser with that user agent. */
const beginIn = (client: string, person: Person): Promise<Waiting> => begin(person, { "user-agent": client });
const list = (token: string): Promise<HttpReply> => http.get("/v1/auth/approval", { token, expect: 200 });
const listedId = async (token: string): Promise<string> => (await list(token)).body.sign_ins[0]?.session_id;
const status = async (email: string, session_id: string) =>
  (await http.get("/v1/oauth2/login-status", { query: { email, session_id }, expect: 200 })).body;

/** A person with a second factor who is signed in on one device. */
const signedIn = () => memberWithMail(owner.organizationId);

describe("GET /v1/auth/approval", () => {
  it("lists the caller's pending sign-ins, newest first, without the secret id and the number", async () => {
    const [person, other] = await Promise.all([signedIn(), signedIn()]);
    await begin(other);
    const before = Date.now();
    const begun = [await beginIn("The first", person), await beginIn("The second", person)];
    const { body, text } = await list(person.token);
    expect(body.sign_ins).toMatchObject([
      { address: "127.0.0.1", user_agent: "The second" },
      { address: "127.0.0.1", user_agent: "The first" },
    ]);
    for (const { created_date, expires_at } of body.sign_ins) {
      expect(Date.parse(created_date)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(expires_at) - Date.parse(created_date)).toBe(10 * 60_000);
    }
    for (const { session_id } of begun) expect(text).not.toContain(session_id);
    const fields = ["address", "created_date", "expires_at", "session_id", "user_agent"];
    for (const listed of body.sign_ins) expect(Object.keys(listed).toSorted()).toEqual(fields);
  });

  it("does not list decided, completed or expired sign-ins", async () => {
    const person = await signedIn();
    expect((await list(person.token)).body).toEqual({ sign_ins: [] });
    await decide("reject", person.token, { session_id: (await begin(person)).session_id });
    const { session_id } = await begin(person);
    await verify(person, await mailedCode(person), session_id);
    await beginIn("Too late", person);
    const past = { $set: { expires_at: new Date(Date.now() - 1) } };
    const { modifiedCount } = await mongo
      .db("base")
      .collection("login_request")
      .updateOne({ user_agent: "Too late" }, past);
    expect(modifiedCount).toBe(1);
    expect((await list(person.token)).body).toEqual({ sign_ins: [] });
  });
});

describe("a listed id", () => {
  it("lets another device approve with the number, which completes the sign-in", async () => {
    const person = await signedIn();
    const { session_id, number } = await begin(person);
    const listed = await listedId(person.token);
    const wrong = number === "10" ? "11" : "10";
    expect((await decide("approve", person.token, { session_id: listed, number: wrong })).body.code).toBe(
      "wrong_number",
    );
    const approved = await decide("approve", person.token, { session_id: listed, number });
    expect(approved.body).toMatchObject({ session_id: listed, status: "approved" });
    const { token } = await status(person.email, session_id);
    await http.get("/v1/auth/load", { token: token.access_token, expect: 200 });
  });

  it("lets another device reject", async () => {
    const person = await signedIn();
    const { session_id } = await begin(person);
    const rejected = await decide("reject", person.token, { session_id: await listedId(person.token) });
    expect(rejected.body.status).toBe("rejected");
    expect((await status(person.email, session_id)).status).toBe("rejected");
  });

  it("gives nobody a token, neither before the approval nor after it nor with the code", async () => {
    const person = await signedIn();
    const { number } = await begin(person);
    const listed = await listedId(person.token);
    expect(await status(person.email, listed)).toEqual({ status: "expired" });
    expect((await verify(person, await mailedCode(person), listed)).body.code).toBe("invalid_code");
    await decide("approve", person.token, { session_id: listed, number });
    expect(await status(person.email, listed)).toEqual({ status: "expired" });
  });

  it("404: cannot be used by anybody else", async () => {
    const [person, stranger] = await Promise.all([signedIn(), addUser(owner.organizationId)]);
    const { number } = await begin(person);
    const session_id = await listedId(person.token);
    for (const { token } of [owner, stranger]) {
      expect((await decide("approve", token, { session_id, number })).body.code).toBe("sign_in_not_found");
      expect((await decide("reject", token, { session_id })).status).toBe(404);
    }
    expect((await list(person.token)).body.sign_ins).toHaveLength(1);
  });
});
