import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMillis, now, nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import { type Base, base } from "#shared/tenant/tenant";
import { attemptKey } from "./address.ts";
import { ACCOUNT_LIMIT, CODE_LIMIT, type Limit, lockStateOf, PAIR_LIMIT } from "./lockout.ts";
import { invalidCode, invalidCredentials } from "./refusals.ts";

const KNOWN_ADDRESS_MS = 180 * 24 * 60 * 60_000;

/** Concurrent sign-ins of one person wait for each other up to this time. */
const PATIENCE_MS = 3_000;
const POLL_MS = 50;

/**
 * Longer than any function runs. A window does not end while attempts in it are being checked. Otherwise guesses sent
 * at the end of a window would have the limits of two windows.
 */
const CHECK_MS = 60_000;

interface AttemptCounter {
  readonly key: string;
  readonly limit: Limit;
}

const tooMany = (seconds: number): Fault =>
  new Fault("too_many_attempts", { headers: { "retry-after": String(Math.max(seconds, 1)) } });

const startWindow = async ({ loginAttempts }: Base, { key, limit }: AttemptCounter): Promise<boolean> => {
  const at = now();
  const fresh = { taken: 1, failures: 0, expires_at: new Date(at.getTime() + limit.milliseconds) };
  try {
    await loginAttempts.replaceOne({ _id: key, expires_at: { $lte: at } }, fresh, { upsert: true });
    return true;
  } catch (error) {
    // Another request has started it meanwhile.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};

/**
 * Counts the attempt before it is checked, so that of many concurrent guesses only as many are checked as may fail.
 * Raises `too_many_attempts`.
 */
const take = async (known: Base, counter: AttemptCounter): Promise<void> => {
  const { loginAttempts } = known;
  const giveUpAt = elapsedMillis() + PATIENCE_MS;
  for (;;) {
    const open = { _id: counter.key, expires_at: { $gt: now() }, taken: { $lt: counter.limit.failures } };
    const checked = { $inc: { taken: 1 }, $max: { expires_at: new Date(nowMillis() + CHECK_MS) } };
    const taken = await loginAttempts.updateOne(open, checked);
    if (taken.matchedCount === 1) return;
    const lock = lockStateOf(await loginAttempts.findOne({ _id: counter.key }), counter.limit, now());
    if (lock.state === "open") {
      if (await startWindow(known, counter)) return;
    } else if (lock.state === "locked" || elapsedMillis() > giveUpAt) {
      throw tooMany(lock.retryAfterSeconds);
    } else {
      await sleep(POLL_MS);
    }
  }
};

const giveBack = async ({ loginAttempts }: Base, { key }: AttemptCounter): Promise<void> => {
  await loginAttempts.updateOne({ _id: key, taken: { $gt: 0 } }, { $inc: { taken: -1 } });
};

const countFailure = async ({ loginAttempts }: Base, { key, limit }: AttemptCounter): Promise<void> => {
  const renewal = limit.renews ? { $max: { expires_at: new Date(nowMillis() + limit.milliseconds) } } : {};
  await loginAttempts.updateOne({ _id: key }, { $inc: { failures: 1 }, ...renewal });
};

const takeAll = async (known: Base, counters: readonly AttemptCounter[]): Promise<void> => {
  const held: AttemptCounter[] = [];
  try {
    for (const counter of counters) {
      await take(known, counter);
      held.push(counter);
    }
  } catch (error) {
    await Promise.all(held.map((counter) => giveBack(known, counter)));
    throw error;
  }
};

/** Whether the account has been used from the network of this address. */
const isFamiliar = async ({ knownAddresses }: Base, email: string, address: string): Promise<boolean> =>
  (await knownAddresses.findOne({ _id: attemptKey("pair", email, networkOf(address)), expires_at: { $gt: now() } })) !==
  null;

export const isKnownAddress = async (email: string, address: string): Promise<boolean> =>
  isFamiliar(await base(), email, address);

/**
 * Remembers that the account was used from this network, so that strangers elsewhere cannot lock it out there. Only
 * called after the second factor too, because a stranger may know the password.
 */
export const rememberAddress = async (email: string, address: string): Promise<void> => {
  const { knownAddresses } = await base();
  await knownAddresses.updateOne(
    { _id: attemptKey("pair", email, networkOf(address)) },
    { $set: { expires_at: new Date(nowMillis() + KNOWN_ADDRESS_MS) } },
    { upsert: true },
  );
};

/** Null from the check counts as a failure for all counters. A raised error does not. */
const checkHolding = async <T>(
  known: Base,
  counters: readonly AttemptCounter[],
  check: () => Promise<T | null>,
): Promise<T | null> => {
  await takeAll(known, counters);
  let result: T | null;
  try {
    result = await check();
  } catch (error) {
    await Promise.all(counters.map((counter) => giveBack(known, counter)));
    throw error;
  }
  if (result === null) await Promise.all(counters.map((counter) => countFailure(known, counter)));
  return result;
};

/**
 * Runs a check of credentials under the limits of one email: 5 failures from one network, and 50 an hour from all
 * networks together from which it has not signed in, and from each from which it has. `check` answers null for wrong
 * credentials. The same commands are sent for emails without an account, so that the limits do not tell whether an
 * account exists. Raises `too_many_attempts`, the refusal, and errors of the check, which do not count as failures.
 */
export const limitAttempts = async <T>(
  email: string,
  address: string,
  check: () => Promise<T | null>,
  refusal: () => Fault = invalidCredentials,
): Promise<T> => {
  const known = await base();
  const network = networkOf(address);
  const pair: AttemptCounter = { key: attemptKey("pair", email, network), limit: PAIR_LIMIT };
  const whose = (await isFamiliar(known, email, address)) ? [email, network] : [email];
  const account: AttemptCounter = { key: attemptKey("account", ...whose), limit: ACCOUNT_LIMIT };
  const result = await checkHolding(known, [pair, account], check);
  if (result === null) throw refusal();
  await Promise.all([known.loginAttempts.deleteOne({ _id: pair.key }), giveBack(known, account)]);
  return result;
};

/**
 * Runs a check of a one-time code of any kind under the limit of one identity: 30 wrong codes an hour over all of its
 * sign-ins. A right code does not reset the count. Raises `too_many_attempts`, the refusal and errors of the check.
 */
export const limitCodes = async <T>(
  userId: string,
  check: () => Promise<T | null>,
  refusal: () => Fault = invalidCode,
): Promise<T> => {
  const known = await base();
  const counter: AttemptCounter = { key: attemptKey("code", userId), limit: CODE_LIMIT };
  const result = await checkHolding(known, [counter], check);
  if (result === null) throw refusal();
  await giveBack(known, counter);
  return result;
};
