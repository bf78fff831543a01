import type { ClientSession } from "mongodb";
import type { CountedWrites } from "./counted-writes.ts";

/** What a transaction wrote. `ids` are kept for whoever sends the request again; `value` is not. */
export interface Done<T> {
  readonly ids: readonly string[];
  readonly value: T;
}

/** Everything that is to be found out first, and then the writes. */
export type Prepare<T> = () => Promise<(session: ClientSession) => Promise<Done<T>>>;

/**
 * The effect of what may come again, such as a request with an `Idempotency-Key`. Each request has one, and checks its
 * caller's rights before it: a repeated request skips the effect and nothing else.
 */
export interface Once {
  /** One transaction. If it was committed before, `again` answers for the ids that it wrote. */
  write<T>(prepare: Prepare<T>, again: (ids: readonly string[]) => Promise<T>): Promise<T>;
  /** Something outside of the tenant's database, such as a mail. A crash right after it may let it happen twice. */
  send(work: () => Promise<void>): Promise<void>;
}

/** For a request that nobody can repeat as the same one. */
export const plainly = ({ transaction }: CountedWrites): Once => ({
  write: async (prepare) => (await transaction(await prepare())).value,
  send: (work) => work(),
});
