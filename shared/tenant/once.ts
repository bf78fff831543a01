import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import type { CountedWrites } from "./counted-writes.ts";

/** The result of a transaction. `ids` are stored for a repeated request, `value` is not. */
export interface Done<T> {
  readonly ids: readonly string[];
  readonly value: T;
}

/** Reads and checks first, and then answers the function that writes. */
export type Prepare<T> = () => Promise<(session: ClientSession) => Promise<Done<T>>>;

/** Raised by a transaction whose preparation read something that has changed since. */
export class StaleWrite extends Error {}

/** Enough for a few writers of one record. More would run out of the time of a request. */
const MOST_ATTEMPTS = 5;

/** Of one pause, which grows with each attempt. */
const LONGEST_PAUSE_MS = 100;

/** Prepares and writes again after a `StaleWrite`. Raises `conflict` after five attempts. */
export const untilFresh = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
      if (attempts === MOST_ATTEMPTS) throw new Fault("conflict", { headers: { "retry-after": "1" } });
      await setTimeout(randomInt(attempts * LONGEST_PAUSE_MS));
    }
  }
};

/**
 * The one effect of a request that may be repeated, as with an `Idempotency-Key`. The caller's rights are checked
 * before it. A repeated request skips only the effect.
 */
export interface Once {
  /** Whether the request may be repeated. */
  readonly isKeyed: boolean;
  /**
   * One transaction. If it was committed before, `again` is given the ids that it wrote. Prepared again after a
   * `StaleWrite`.
   */
  write<T>(prepare: Prepare<T>, again: (ids: readonly string[]) => Promise<T>): Promise<T>;
  /** An effect outside of the tenant's database, such as a mail. After a crash it may happen twice. */
  send(work: () => Promise<void>): Promise<void>;
}

/** For a request without a key. */
export const unkeyedOnce = ({ transaction }: CountedWrites): Once => ({
  isKeyed: false,
  write: (prepare) => untilFresh(async () => (await transaction(await prepare())).value),
  send: (work) => work(),
});
