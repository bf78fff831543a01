import type { CountedWrites } from "../counted-writes.ts";
import { type Once, untilFresh } from "../once.ts";
import { type Claimed, held } from "./claim.ts";
import { type OutboxDatabase, outboxOf } from "./entry.ts";

/**
 * The one effect of a message. Once its transaction is committed the message is never handled again, whatever happens
 * to its consumer. `onBegun` is called after the commit. Raises an error if the entry is not held any more.
 */
export const onceForEntry = (
  database: OutboxDatabase & Pick<CountedWrites, "transaction">,
  claimed: Claimed,
  onBegun: () => void,
): Once => ({
  isKeyed: true,
  write: async (prepare, again) => {
    if (claimed.begun !== null) return again(claimed.begun);
    return untilFresh(async () => {
      const work = await prepare();
      const { value } = await database.transaction(async (session) => {
        const done = await work(session);
        const begun = { $set: { begun: [...done.ids] } };
        const { matchedCount } = await outboxOf(database).updateOne(held(claimed), begun, { session });
        if (matchedCount === 0) throw new Error(`The message ${claimed.id} is not held any more.`);
        return done;
      });
      onBegun();
      return value;
    });
  },
  send: async (work) => {
    if (claimed.begun !== null) return;
    await outboxOf(database).updateOne(held(claimed), { $set: { begun: [] } });
    onBegun();
    await work();
  },
});
