import { beforeAll, describe, expect, it } from "vitest";
import { attemptKey } from "#shared/identity/sign-in/address";
import { addUser, type HttpReply, http, joinOrganization, registerOrganization, type User } from "../../platform.ts";
import { beginMany, type Guesses, worstHour } from "./guesser.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import {
  appCode,
  begin,
  mailedCode,
  memberWithMail,
  type Person,
  setUpApp,
  verify,
  type Waiting,
  wrongCode,
} from "./second-factors.ts";

useOwner();

let elsewhere: User;
beforeAll(async () => {
  elsewhere = await registerOrganization();
});

const stored = (name: string) => mongo.db("base").collection<{ _id: string }>(name);
const post = (path: string, token: string, body: object): Promise<HttpReply> => http.post(path, { token, body });

interface Window {
  readonly _id: string;
  readonly expires_at: Date;
}

/** The platform ends a function that takes longer. */
const LONGEST_FUNCTION_MS = 15_000;

/** One in ten thousand. */
const BEARABLE = 1 / 10_000;
/** For an authenticator app, counted by a test below. There is one mailed code at a time. */
const VALID_CODES = 3;
const chanceOf = (guesses: number): number => (guesses * VALID_CODES) / 1_000_000;

/** Moves the sign-ins and the wrong codes of a person into the past. */
const letPass = async (userId: string, minutes: number): Promise<void> => {
  const earlier = [{ $set: { expires_at: { $subtract: ["$expires_at", minutes * 60_000] } } }];
  await Promise.all([
    stored("login_request").updateMany({ user_id: userId } as object, earlier),
    stored("login_attempt").updateOne({ _id: attemptKey("code", userId) }, earlier),
  ]);
};

/** The number of guesses that were compared with a code: each has an audit entry, or a reply to a signed-in device. */
const comparedBy = (userId: string) => {
  let answered = 0;
  let counted = 0;
  return {
    note: (replies: readonly HttpReply[]): void => {
      answered += replies.filter(({ body }) => body?.code === "wrong_code").length;
    },
    /** Since the last call. */
    async more(): Promise<number> {
      const refused = { user_id: userId, type: "second_factor_refused" };
      const total = answered + (await stored("audit").countDocuments(refused as object));
      const more = total - counted;
      counted = total;
      return more;
    },
  };
};

/**
 * When the guesser tries: once, and then at the times when limits end: an hour later, after the ten minutes of the
 * sign-ins, and an hour after the last wrong code.
 */
const MINUTES = [0, 59, 61, 70, 118, 122];

/** A member of two organizations with an authenticator app, signed in on one device. */
const withApp = async () => {
  const user = await addUser(owner.organizationId);
  await joinOrganization(user, elsewhere.organizationId);
  return { ...user, ...(await setUpApp(user)) };
};

const guessAll = (person: Person, waiting: readonly Waiting[], codes: readonly string[]): Promise<HttpReply[]> =>
  Promise.all(waiting.flatMap(({ session_id }) => codes.map((code) => verify(person, code, session_id))));

describe("a code of an authenticator app", () => {
  it(`is one of ${VALID_CODES} at a time`, async () => {
    const person = await withApp();
    await stored("user").updateOne({ _id: person.id }, { $set: { "totp.last_step": 0 } } as object);
    /** Whether it is valid. Asks again if the next code has become valid meanwhile. */
    const isValid = async (later: number): Promise<boolean> => {
      const { session_id } = await begin(person);
      const at = Date.now();
      const { status } = await verify(person, appCode(person.secret, later, at), session_id);
      return Math.floor(at / 30_000) === Math.floor(Date.now() / 30_000) ? status === 200 : isValid(later);
    };
    const valid: number[] = [];
    for (const later of [-3, -2, -1, 0, 1, 2, 3]) if (await isValid(later)) valid.push(later);
    expect(valid).toEqual([-1, 0, 1]);
    expect(valid).toHaveLength(VALID_CODES);
  });

  it("is guessed with a chance below 1 in 10,000 an hour by somebody who knows the password", async () => {
    const person = await withApp();
    const wrong = wrongCode(...[-2, -1, 0, 1, 2, 3].map((later) => appCode(person.secret, later)));
    const compared = comparedBy(person.id);
    const guesses: Guesses[] = [];
    const owners: number[] = [];
    for (const [index, minute] of MINUTES.entries()) {
      await letPass(person.id, minute - (MINUTES[index - 1] ?? 0));
      // The owner signs in with a right code in between.
      const [own] = await beginMany(person, 1);
      owners.push((await verify(person, person.recovery.pop() ?? "", own?.session_id)).status);
      const waiting = await beginMany(person, minute === 0 ? 1 : 6);
      const { password, token } = person;
      const disable = () => post("/v1/auth/totp/disable", token, { password, code: wrong });
      const [replies] = await Promise.all([
        // A thief of the owner's access token may try to turn the app off too.
        Promise.all(minute === 0 ? [] : [disable(), disable()]),
        minute === 0
          ? verify(person, wrong)
          : guessAll(person, waiting, [wrong, wrong, "aaaa-bbbb-cccc-dddd", wrong, wrong, wrong]),
      ]);
      compared.note(replies);
      guesses.push({ minute, count: await compared.more() });
    }
    const worst = worstHour(guesses);
    // All were compared, so no other limit has stopped the attack before.
    expect(worst, JSON.stringify(guesses)).toBeGreaterThanOrEqual(25);
    expect(chanceOf(worst)).toBeLessThan(BEARABLE);
    expect(guesses.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(30);
    expect(owners).toContain(200);
  });
});

describe("a code by mail", () => {
  it("is not guessed more easily with new sign-ins, codes of other sign-ins or an enrolment", async () => {
    const person = await memberWithMail(owner.organizationId);
    const { token, password } = person;
    const compared = comparedBy(person.id);
    await post("/v1/auth/totp", token, { password });
    const owners: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const own = await begin(person);
      owners.push((await verify(person, await mailedCode(person), own.session_id)).status);
      const waiting: { session_id: string; code: string }[] = [];
      for (let count = 0; count < 4; count += 1) {
        const { session_id } = await begin(person);
        waiting.push({ session_id, code: await mailedCode(person) });
      }
      const wrong = wrongCode(...waiting.map(({ code }) => code));
      const confirm = () => post("/v1/auth/totp/confirm", token, { code: wrong });
      const [replies] = await Promise.all([
        Promise.all([confirm(), confirm()]),
        Promise.all(
          waiting.flatMap(({ session_id, code: right }) =>
            [wrong, ...waiting.map(({ code }) => code)]
              .filter((code) => code !== right)
              .map((code) => verify(person, code, session_id)),
          ),
        ),
      ]);
      compared.note(replies);
      // With a stolen access token the waiting sign-ins are rejected, so that as many more may wait.
      await Promise.all(waiting.map(({ session_id }) => post("/v1/oauth2/reject-2fa", token, { session_id })));
    }
    const checked = await compared.more();
    expect(checked).toBe(30);
    expect(chanceOf(checked)).toBeLessThan(BEARABLE);
    expect(owners).toEqual([200, 200, 429]);
  });

  it("is not guessed more easily at the end of the hour, while a guess is being checked", async () => {
    const person = await memberWithMail(owner.organizationId);
    const window = { _id: attemptKey("code", person.id) };
    await verify(person, "000000", (await begin(person)).session_id);
    await stored("login_attempt").updateOne(window, { $set: { expires_at: new Date(Date.now() + 10_000) } });
    // A right code is refused too, because a new window would not count the checks of the old one.
    const { session_id } = await begin(person);
    expect((await verify(person, await mailedCode(person), session_id)).status).toBe(200);
    const entry = await mongo.db("base").collection<Window>("login_attempt").findOne(window);
    expect(entry?.expires_at.getTime()).toBeGreaterThan(Date.now() + LONGEST_FUNCTION_MS);
  });
});
