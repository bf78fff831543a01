import type { TenantDatabase } from "./database.ts";

/** What of an organization is under way at once. One document. */
interface Slots {
  _id: string;
  running: { id: string; until: Date }[];
}

interface Place {
  readonly collection: string;
  /** The `_id` of the document. */
  readonly kind: string;
}

type Database = Pick<TenantDatabase, "collection">;

interface Slot {
  readonly id: string;
  /** From then on the slot is free, also if its holder never gave it back. */
  readonly until: Date;
}

/** Takes a free slot in one command. False if all are taken. */
export const takeSlot = async (
  { collection }: Database,
  place: Place,
  slot: Slot,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<boolean> => {
  const isHeld = { $gt: ["$$one.until", now] };
  const after = await collection<Slots>(place.collection).findOneAndUpdate(
    { _id: place.kind },
    [
      { $set: { running: { $filter: { input: { $ifNull: ["$running", []] }, as: "one", cond: isHeld } } } },
      {
        $set: {
          running: {
            $cond: [{ $lt: [{ $size: "$running" }, most] }, { $concatArrays: ["$running", [slot]] }, "$running"],
          },
        },
      },
    ],
    { upsert: true, returnDocument: "after" },
  );
  return after?.running.some(({ id }) => id === slot.id) === true;
};

export const giveSlotBack = async ({ collection }: Database, place: Place, id: string): Promise<void> => {
  await collection<Slots>(place.collection).updateOne({ _id: place.kind }, { $pull: { running: { id } } });
};
