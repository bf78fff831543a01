import { beforeEach, describe, expect, it } from "vitest";
import { http, mailsTo } from "../../platform.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { type LoginAnswer, loginFrom } from "./people.ts";
import { mailedCode, memberWithMail, type Person, signInByMail, verify } from "./second-factors.ts";

useOwner();

/** Signed in from 127.0.0.1, the address of the tests. */
let person: Person & { readonly token: string };
beforeEach(async () => {
  person = await memberWithMail(owner.organizationId);
});

const HOME = "127.0.0.1";
const STRANGER = "127.0.7.1";
const ELSEWHERE = "127.0.8.1";

const beginAt = (address: string): Promise<LoginAnswer> => loginFrom(address, person.email, person.password);

const beginMany = async (address: string, count: number): Promise<LoginAnswer[]> => {
  const begun: LoginAnswer[] = [];
  for (let one = 0; one < count; one += 1) begun.push(await beginAt(address));
  return begun;
};

const statusesOf = (answers: readonly LoginAnswer[]): number[] => answers.map(({ status }) => status);

const stateOf = async ({ sessionId = "" }: LoginAnswer): Promise<string> => {
  const query = { email: person.email, session_id: sessionId };
  return (await http.get("/v1/oauth2/login-status", { query, expect: 200 })).body.status;
};

const listed = async (): Promise<string[]> => {
  const { body } = await http.get("/v1/auth/approval", { token: person.token, expect: 200 });
  return body.sign_ins.map(({ address }: { address: string }) => address).toSorted();
};

describe("a stranger who knows the password of an account with a second factor", () => {
  it("can begin five sign-ins in their own network, and a sixth is refused", async () => {
    expect(statusesOf(await beginMany(STRANGER, 6))).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await beginAt(STRANGER);
    expect(refused.code).toBe("too_many_attempts");
    expect(Number(refused.retryAfter)).toBeGreaterThan(9 * 60);
  });

  it("does not keep the owner out of a network from which the owner has signed in", async () => {
    const strangers = await beginMany(STRANGER, 5);
    await signInByMail(person);
    const own = await beginMany(HOME, 6);
    expect(statusesOf(own)).toEqual([200, 200, 200, 200, 200, 429]);
    for (const waiting of strangers) expect(await stateOf(waiting)).toBe("pending");
  });

  it("does not keep the owner out of a new network: the newer sign-in displaces the stranger's oldest", async () => {
    const [first, ...others] = await beginMany(STRANGER, 5);
    const own = await beginAt(ELSEWHERE);
    expect(own.status).toBe(200);
    expect(first && (await stateOf(first))).toBe("expired");
    for (const waiting of others) expect(await stateOf(waiting)).toBe("pending");
    // The lost slot still counts, so the stranger cannot take it back.
    expect((await beginAt(STRANGER)).status).toBe(429);
    expect(await listed()).toEqual([STRANGER, STRANGER, STRANGER, STRANGER, ELSEWHERE]);
    expect((await verify(person, await mailedCode(person), own.sessionId)).status).toBe(200);
  });

  it("loses slots before networks that hold fewer", async () => {
    const oldest = await beginAt(ELSEWHERE);
    const [first] = await beginMany(STRANGER, 4);
    expect((await beginAt("127.0.9.1")).status).toBe(200);
    expect([await stateOf(oldest), first && (await stateOf(first))]).toEqual(["pending", "expired"]);
  });

  it("does not displace a sign-in at a known address from any number of networks, and is refused after thirty", async () => {
    const own = await beginAt(HOME);
    await beginAt(STRANGER);
    const waiting = mongo.db("base").collection<{ _id: string; expires_at: Date }>("login_request");
    const begun = await waiting.findOne({ address: STRANGER }, { sort: { created_date: -1 } });
    const until = begun?.expires_at ?? new Date(0);
    // As if they began in other networks: four wait, and 23 more were displaced.
    const copies = Array.from({ length: 27 }, (_, index) => ({
      ...begun,
      _id: `${begun?._id}-${index}`,
      address: `127.0.10.${index}`,
      ...(index < 4 ? { expires_at: until } : { expires_at: new Date(), displaced_until: until }),
    }));
    await waiting.insertMany(copies);
    const mailed = (await mailsTo(person.email)).length;
    const last = await Promise.all(["127.0.11.1", "127.0.11.2", "127.0.11.3"].map(beginAt));
    expect(statusesOf(last).toSorted()).toEqual([200, 200, 429]);
    expect(await mailsTo(person.email)).toHaveLength(mailed + 2);
    expect(await listed()).toHaveLength(6);
    expect(await stateOf(own)).toBe("pending");
    expect((await beginAt(HOME)).status).toBe(200);
  });

  it("does not make a network known by the password alone", async () => {
    const waiting = mongo.db("base").collection("login_request");
    await beginMany(STRANGER, 2);
    expect(await waiting.countDocuments({ address: STRANGER, familiar: true })).toBe(0);
    const own = await beginAt(ELSEWHERE);
    expect((await verify(person, await mailedCode(person), own.sessionId)).status).toBe(200);
    // The code was sent from here, so this network becomes known.
    expect((await beginAt(ELSEWHERE)).status).toBe(200);
    expect(await waiting.countDocuments({ address: ELSEWHERE, familiar: true })).toBe(0);
  });

  it("has no advantage from concurrent requests", async () => {
    const at = Array.from({ length: 12 }, (_, index) => beginAt(index % 2 === 0 ? STRANGER : ELSEWHERE));
    const granted = statusesOf(await Promise.all(at)).filter((status) => status === 200);
    expect(granted).toHaveLength(10);
    expect(await listed()).toHaveLength(5);
  });
});
