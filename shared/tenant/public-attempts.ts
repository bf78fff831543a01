import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMillis, nowMillis } from "#shared/foundation/clock";
import { repeatedUpsert } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import { base } from "./base.ts";

const MINUTE_MS = 60_000;

const REFUSAL_MS = 150;

interface AttemptLimits {
  /** Of one address and one target in a minute. */
  readonly perTarget: number;
  /** Of one address for all targets with the same first part, also those that do not exist. */
  readonly perAddress: number;
  /** What more requests are refused with. */
  readonly refusal: { readonly code: "too_many_attempts" | "too_many_webhooks"; readonly message?: string };
}

/** A hash, so that addresses are not stored. */
const counterId = (...parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

const retryAfter = (until: number) => ({
  "retry-after": String(Math.max(1, Math.ceil((until - nowMillis()) / 1000))),
});

const count = async (id: string, until: number): Promise<number> => {
  const { publicRuns } = await base();
  const counted = await repeatedUpsert(() =>
    publicRuns.findOneAndUpdate(
      { _id: id },
      { $inc: { count: 1 }, $setOnInsert: { expires_at: new Date(until + MINUTE_MS) } },
      { upsert: true, returnDocument: "after" },
    ),
  );
  return counted?.count ?? 1;
};

/**
 * Counts a request without a token, before anything is looked up, and in the same way whether or not its target exists.
 * `target`: the kind of request, then what it is for. Raises the fault of `refusal`.
 */
export const countPublicAttempt = async (
  address: string,
  target: readonly [kind: string, ...rest: string[]],
  { perTarget, perAddress, refusal: { code, ...options } }: AttemptLimits,
): Promise<void> => {
  const network = networkOf(address);
  const minute = Math.floor(nowMillis() / MINUTE_MS);
  const until = (minute + 1) * MINUTE_MS;
  const [ofAddress, ofTarget] = await Promise.all([
    count(counterId(network, minute, target[0]), until),
    count(counterId(network, minute, ...target), until),
  ]);
  if (ofAddress > perAddress || ofTarget > perTarget) throw new Fault(code, { ...options, headers: retryAfter(until) });
};

/**
 * Delays the refusal of a request without a token until 150 ms after `start` (of `elapsedMillis`), so that its time
 * does not tell whether the target exists.
 */
export const delayRefusal = (start: number): Promise<void> =>
  sleep(Math.max(0, REFUSAL_MS - (elapsedMillis() - start)));
