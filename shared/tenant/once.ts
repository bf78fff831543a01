import type { ClientSession } from "mongodb";
import type { CountedWrites } from "./counted-writes.ts";

/** The result of a transaction. `ids` are stored for a repeated request, `value` is not. */
export interface Done<T> {
  readonly ids: readonly string[];
  readonly value: T;
}

/** Reads and checks first, and then answers the function that writes. */
export type Prepare<T> = () => Promise<(session: ClientSession) => Promise<Done<T>>>;

/**
 * The one effect of a request that may be repeated, as with an `Idempotency-Key`. The caller's rights are checked
 * before it. A repeated request skips only the effect.
 */
export interface Once {
  /** One transaction. If it was committed before, `again` is given the ids that it wrote. */
  write<T>(prepare: Prepare<T>, again: (ids: readonly string[]) => Promise<T>): Promise<T>;
  /** An effect outside of the tenant's database, such as a mail. After a crash it may happen twice. */
  send(work: () => Promise<void>): Promise<void>;
}

/** For a request without a key. */
export const unkeyedOnce = ({ transaction }: CountedWrites): Once => ({
  write: async (prepare) => (await transaction(await prepare())).value,
  send: (work) => work(),
});
