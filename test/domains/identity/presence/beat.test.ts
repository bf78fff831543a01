import fc from "fast-check";
import type { Collection, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beatUpdate } from "#shared/identity/presence/beat";
import type { Beat } from "#shared/identity/presence/rules";
import { databaseClient } from "../../../platform.ts";

interface Stored {
  _id: string;
}

let mongo: MongoClient;
let collection: Collection<Stored>;

beforeAll(async () => {
  mongo = await databaseClient();
  collection = mongo.db("presence_test").collection<Stored>("beats");
});
afterAll(async () => {
  await collection.drop();
  await mongo.close();
});

const START = Date.parse("2026-06-15T12:00:00.000Z");

const heartbeat = (): fc.Arbitrary<{ device: string; beat: Beat }> =>
  fc.record({
    device: fc.constantFrom("laptop", "phone", "tablet"),
    beat: fc.record({
      at: fc.integer({ min: 0, max: 8 }).map((step) => new Date(START + step)),
      status: fc.constantFrom("online", "busy", "away", "offline"),
    }),
  });

/** Heartbeats, and the same ones in another order, some of them twice. */
const deliveries = () =>
  fc.array(heartbeat(), { minLength: 1, maxLength: 8 }).chain((sent) =>
    fc.tuple(
      fc.constant(sent),
      fc
        .subarray(sent)
        .chain((again) => fc.shuffledSubarray([...sent, ...again], { minLength: sent.length + again.length })),
    ),
  );

let documents = 0;

const stored = async (beats: readonly { device: string; beat: Beat }[], atOnce: boolean) => {
  documents += 1;
  const _id = `user-${documents}`;
  const write = ({ device, beat }: { device: string; beat: Beat }) =>
    collection.findOneAndUpdate({ _id }, beatUpdate(device, beat), { upsert: true });
  if (atOnce) await Promise.all(beats.map(write));
  else for (const one of beats) await write(one);
  const found = await collection.findOne({ _id }, { projection: { _id: 0 } });
  return found as unknown as { last_active_at: Date; devices: Record<string, Beat> };
};

describe("heartbeats", () => {
  it("leave the youngest of each device, in any order, with repetitions and concurrently", async () => {
    await fc.assert(
      fc.asyncProperty(deliveries(), fc.boolean(), async ([sent, delivered], atOnce) => {
        const plain = await stored(sent, false);
        expect(await stored(delivered, atOnce)).toEqual(plain);
        const youngest = (device: string) =>
          Math.max(...sent.filter((one) => one.device === device).map(({ beat }) => beat.at.getTime()));
        for (const [device, { at }] of Object.entries(plain.devices)) expect(at.getTime()).toBe(youngest(device));
        expect(plain.last_active_at.getTime()).toBe(Math.max(...sent.map(({ beat }) => beat.at.getTime())));
      }),
      { numRuns: 60 },
    );
  });
});
