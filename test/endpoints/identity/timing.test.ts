import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUser, databaseClient, platformUrl, registerOrganization } from "../../platform.ts";
import { signedRankScore, type TimedRequest, timeInterleaved } from "./interleaved.ts";
import { newEmail } from "./people.ts";

const rightPassword = "correct horse battery staple";
const wrongPassword = "some other long passphrase";

let mongo: MongoClient;
let organizationId: string;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  mongo = await databaseClient();
  organizationId = (await registerOrganization()).organizationId;
});
afterAll(async () => {
  agent.destroy();
  await mongo.close();
});

/** Milliseconds until the whole reply is there, over an open connection. */
const timedPost = (path: string, type: string, body: string, expected: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { agent, method: "POST", headers: { "content-type": type } };
    const start = performance.now();
    const sending = request(`${platformUrl}${path}`, options, (reply) => {
      reply.resume();
      reply.on("end", () => {
        if (reply.statusCode === expected) resolve(performance.now() - start);
        else reject(new Error(`${path} → ${reply.statusCode}`));
      });
    });
    sending.on("error", reject);
    sending.end(body);
  });

const failedLogin = (username: string, password: string): Promise<number> => {
  const form = new URLSearchParams({ username, password }).toString();
  return timedPost("/v1/oauth2/login", "application/x-www-form-urlencoded", form, 401);
};

const forgot = (email: string): Promise<number> =>
  timedPost("/v1/forgot-password", "application/json", JSON.stringify({ email }), 202);

const emails = (count: number): string[] => Array.from({ length: count }, newEmail);

/** Accounts like registered ones, inserted faster. */
const accounts = async (count: number, more: Record<string, unknown> = {}): Promise<string[]> => {
  const identities = mongo.db("base").collection<Document & { _id: string }>("user");
  const made = await identities.findOne({ email: (await createUser(organizationId)).email });
  const copies = emails(count).map((email) => ({ ...made, _id: `copy-of-${email}`, email, ...more }));
  await identities.insertMany(copies);
  return copies.map(({ email }) => email);
};

/**
 * Standard deviations that chance exceeds in seven of a million tests, also on a busy machine, because the order within
 * a round is random. A difference of two milliseconds exceeds it on an idle machine, one of fifteen on a busy one.
 */
const CHANCE = 4.5;

/** An email allows five failures from one address. Then all kinds use the next one. */
const FAILURES = 5;
const ROUNDS = 60;

const logins =
  (people: readonly string[], password: string): TimedRequest =>
  (round) =>
    failedLogin(people[Math.floor(round / FAILURES)] ?? "", password);

describe("POST /v1/oauth2/login", () => {
  it("takes the same time for an email without an account as for a wrong password", async () => {
    const people = ROUNDS / FAILURES;
    const kinds = {
      unknown: logins(emails(people), wrongPassword),
      wrong: logins(await accounts(people), wrongPassword),
      deactivated: logins(await accounts(people, { is_active: false }), rightPassword),
    };
    await failedLogin(newEmail(), wrongPassword);
    const { unknown, ...others } = await timeInterleaved(kinds, ROUNDS);
    for (const [kind, times] of Object.entries(others)) {
      expect(Math.abs(signedRankScore(times, unknown)), kind).toBeLessThan(CHANCE);
    }
  });
});

describe("POST /v1/forgot-password", () => {
  it("takes the same time for an email without an account as for one with an account", async () => {
    const rounds = 40;
    const [known, unknown] = [await accounts(rounds), emails(rounds)];
    // Slower than the limit of one network. What follows a request runs meanwhile, and does not slow the next one.
    const paced = async (email: string): Promise<number> => {
      await sleep(100);
      return forgot(email);
    };
    for (const email of emails(3)) await paced(email);
    const at = (people: readonly string[]) => (round: number) => paced(people[round] ?? "");
    const { account, nobody } = await timeInterleaved({ account: at(known), nobody: at(unknown) }, rounds);
    expect(Math.abs(signedRankScore(account, nobody))).toBeLessThan(CHANCE);
  });
});

describe("the test of times", () => {
  const noise = Array.from({ length: ROUNDS }, (_, round) => (round * 37) % 61);

  it("detects a small difference among much longer pauses", () => {
    const others = noise.map((time, round) => time + ((round * 23) % 17) - 8);
    const paused = noise.map((time, round) => (round % 10 === 0 ? time + 1_000 : time));
    expect(Math.abs(signedRankScore(paused, others))).toBeLessThan(CHANCE);
    expect(
      signedRankScore(
        paused.map((time) => time + 15),
        others,
      ),
    ).toBeGreaterThan(CHANCE);
  });
});
