import { beforeAll, describe, expect, it } from "vitest";
import { createUser, type HttpReply, http, registerOrganization, type User } from "../../platform.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { begin, mailedCode, memberWithMail, verify, type Waiting, wrongCode } from "./second-factors.ts";

useOwner();

let stranger: User;
beforeAll(async () => {
  stranger = await registerOrganization();
});

/** Every number that can be shown in a sign-in. */
const NUMBERS = Array.from({ length: 90 }, (_, index) => String(index + 10));

const approve = (token: string | undefined, session_id: string, number: string): Promise<HttpReply> =>
  http.post("/v1/oauth2/approve-2fa", { ...(token && { token }), body: { session_id, number } });

/** Tries them all, several at a time. */
const approveWith = async (
  token: string | undefined,
  { session_id }: Waiting,
  numbers: readonly string[] = NUMBERS,
): Promise<string[]> => {
  const answers: string[] = [];
  for (let start = 0; start < numbers.length; start += 15) {
    const some = numbers.slice(start, start + 15).map((number) => approve(token, session_id, number));
    answers.push(...(await Promise.all(some)).map(({ status, body }) => `${status} ${body.code ?? body.status}`));
  }
  return answers;
};

const statusOf = async (email: string, { session_id }: Waiting): Promise<string> =>
  (await http.get("/v1/oauth2/login-status", { query: { email, session_id } })).body.status;

describe("the number of a waiting sign-in", () => {
  it("does not help a stranger who knows password and number but is not signed in", async () => {
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const waiting = await begin(person);
    const code = await mailedCode(person);
    expect(waiting.number).toMatch(/^[1-9]\d$/);
    for (const token of [undefined, waiting.session_id]) {
      for (const answer of await approveWith(token, waiting)) expect(answer).toMatch(/^401 /);
    }
    expect(await statusOf(person.email, waiting)).toBe("pending");
    // The person has all tries left.
    expect((await verify(person, code, waiting.session_id)).status).toBe(200);
  });

  it("does not help a stranger who is signed in as themselves, even as an administrator", async () => {
    const person = await memberWithMail(owner.organizationId);
    const waiting = await begin(person);
    for (const { token } of [stranger, owner]) {
      expect(new Set(await approveWith(token, waiting))).toEqual(new Set(["404 sign_in_not_found"]));
    }
    expect((await approve(person.token, waiting.session_id, waiting.number)).status).toBe(200);
  });

  it("can be tried five times for each sign-in, also concurrently", async () => {
    const person = await memberWithMail(owner.organizationId);
    const waiting = await begin(person);
    const numbers = [...NUMBERS.filter((number) => number !== waiting.number), waiting.number];
    expect(new Set(await approveWith(person.token, waiting, numbers))).toEqual(new Set(["403 wrong_number"]));
    const pending = { user_id: person.id, status: "pending" };
    expect(await mongo.db("base").collection("login_request").findOne(pending)).toMatchObject({ tries: 5 });
    expect(await statusOf(person.email, waiting)).toBe("pending");
  });

  it("is counted together with the codes of its sign-in", async () => {
    const person = await memberWithMail(owner.organizationId);
    const waiting = await begin(person);
    const code = await mailedCode(person);
    const [first = "", second = "", third = ""] = NUMBERS.filter((number) => number !== waiting.number);
    for (const number of [first, second, third]) await approve(person.token, waiting.session_id, number);
    for (let attempt = 0; attempt < 2; attempt += 1) await verify(person, wrongCode(code), waiting.session_id);
    expect((await verify(person, code, waiting.session_id)).status).toBe(401);
    expect((await approve(person.token, waiting.session_id, waiting.number)).body.code).toBe("wrong_number");
  });
});
