import fc from "fast-check";
import { ClientSession, type Db, type MongoClient } from "mongodb";
import { describe, expect, it } from "vitest";
import { answerCache } from "#shared/data/query/execute/answer-cache";
import { type CountedWrites, countedWrites } from "#shared/tenant/counted-writes";
import { firstCopy } from "../../../setup/first-copy.ts";

/** The state of one collection: its writes and its counter. */
interface World {
  data: number;
  counter: number;
  /** Yields or not, so that all interleavings are tried. */
  turn(what: string): Promise<void>;
}

/** Makes writes visible at once. */
type Commit = (writes: number) => void;

/** The part of the driver that writes need. Each command takes some time before and after its effect. */
const driverOf = (world: World, commit: Commit): { client: MongoClient; db: Db } => {
  let pending = 0;
  const command = async (what: string, effect: () => void): Promise<void> => {
    await world.turn(`${what} arrives`);
    effect();
    await world.turn(`${what} is answered`);
  };
  const session: object = Object.assign(Object.create(ClientSession.prototype), {
    withTransaction: async (work: () => Promise<unknown>) => {
      const result = await work();
      await command("commit", () => {
        commit(pending);
        pending = 0;
      });
      return result;
    },
  });
  const collection = (collectionName: string) => ({
    collectionName,
    insertOne: (_: object, options?: object) =>
      command("insert", () => {
        if (options) pending += 1;
        else commit(1);
      }),
    updateOne: () =>
      command("count", () => {
        world.counter += 1;
      }),
  });
  return {
    client: { withSession: (work: (given: object) => unknown) => work(session) } as unknown as MongoClient,
    db: { collection } as unknown as Db,
  };
};

type Write = (writes: CountedWrites, world: World, commit: Commit) => Promise<unknown>;

const inTransaction: Write = ({ transaction, collection }) =>
  transaction((session) => collection("lead").insertOne({}, { session }));
const alone: Write = ({ collection }) => collection("lead").insertOne({});

type Read = (world: World, load: () => Promise<{ seen: number }>) => Promise<{ seen: number }>;

/** One execution environment. */
const environment = (): Read => {
  const cache = answerCache<{ seen: number }>(1_000_000, () => 1);
  return async (world, load) => {
    await world.turn("the counter is read");
    const versions = String(world.counter);
    await world.turn("the counter is known");
    return (await cache.read("query", versions, load)).value;
  };
};

/** Several writers and readers in two environments. True if nobody read less than was acknowledged before. */
const neverOlder = (writers: readonly Write[], makeEnvironment: () => Read) =>
  fc.asyncProperty(fc.scheduler(), fc.array(fc.nat(1), { minLength: 2, maxLength: 6 }), async (scheduler, readers) => {
    let acknowledged = 0;
    const world: World = { data: 0, counter: 0, turn: (what) => scheduler.schedule(Promise.resolve(), what) };
    const environments = [makeEnvironment(), makeEnvironment()];
    const writing = writers.map(async (write) => {
      let mine = 0;
      const commit: Commit = (writes) => {
        world.data += writes;
        mine = world.data;
      };
      const { client, db } = driverOf(world, commit);
      await write(countedWrites(client, db, firstCopy("org")), world, commit);
      acknowledged = Math.max(acknowledged, mine);
    });
    const reading = readers.map(async (index) => {
      await scheduler.schedule(Promise.resolve(), "a request comes in");
      const least = acknowledged;
      const { seen } = await (environments[index] as Read)(world, async () => {
        await world.turn("the query arrives");
        const found = world.data;
        await world.turn("the query is answered");
        return { seen: found };
      });
      expect(seen).toBeGreaterThanOrEqual(least);
    });
    await scheduler.waitFor(Promise.all([...writing, ...reading]));
  });

const RUNS = 3_000;

describe("the query cache", () => {
  it.each([
    ["in a transaction", [inTransaction]],
    ["without one", [alone]],
    ["by several at once", [inTransaction, alone, inTransaction]],
  ])("never answer with less than a write that was acknowledged: written %s", async (_, writers) => {
    await fc.assert(neverOlder(writers, environment), { numRuns: RUNS });
  });

  const count = async (world: World): Promise<void> => {
    await world.turn("count arrives");
    world.counter += 1;
    await world.turn("count is answered");
  };
  const uncounted: Write = async (_, world, commit) => {
    await world.turn("insert arrives");
    commit(1);
    await world.turn("insert is answered");
  };
  const countedBefore: Write = async (writes, world, commit) => {
    await count(world);
    await uncounted(writes, world, commit);
  };
  const countedLater: Write = async (writes, world, commit) => {
    await uncounted(writes, world, commit);
    void count(world);
  };

  /** A faulty cache, which reads the counter after the data. */
  const countingLate = (): Read => {
    const kept = new Map<number, { seen: number }>();
    return async (world, load) => {
      await world.turn("the counter is read");
      const known = kept.get(world.counter);
      if (known) return known;
      const value = await load();
      kept.set(world.counter, value);
      return value;
    };
  };

  it.each<[string, Write, () => Read]>([
    ["counted before the commit", countedBefore, environment],
    ["acknowledged before it is counted", countedLater, environment],
    ["never counted", uncounted, environment],
    ["read before the counter is", inTransaction, countingLate],
  ])("would do so if a write were %s", async (_, write, makeEnvironment) => {
    const { failed } = await fc.check(neverOlder([write], makeEnvironment), { numRuns: RUNS });
    expect(failed).toBe(true);
  });

  it("keeps a result for 60 seconds from the request, and keeps no failure", async () => {
    let time = 1_000;
    let loads = 0;
    const cache = answerCache<{ load: number }>(1_000_000, () => time);
    const read = () => cache.read("k", "1", async () => ({ load: ++loads }));
    await expect(cache.read("k", "1", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect((await read()).hit).toBe(false);
    time += 59_999;
    expect(await read()).toEqual({ value: { load: 1 }, hit: true });
    time += 2;
    expect(await read()).toEqual({ value: { load: 2 }, hit: false });
    expect((await cache.read("k", "2", async () => ({ load: 9 }))).hit).toBe(false);
    expect((await read()).hit).toBe(false);
  });

  it("keeps no more bytes than its limit", async () => {
    const cache = answerCache<string[]>(100_000, () => 1);
    const rows = Array.from({ length: 20 }, () => "x".repeat(200));
    for (let index = 0; index < 100; index += 1) await cache.read(`k${index}`, "1", async () => rows);
    let kept = 0;
    for (let index = 0; index < 100; index += 1) {
      const { hit } = await cache.read(`k${99 - index}`, "1", async () => []);
      if (hit) kept += 1;
    }
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(13);
    await cache.read("large", "1", async () => Array.from({ length: 100 }, () => "x".repeat(200)));
    expect((await cache.read("large", "1", async () => rows)).hit).toBe(false);
  });
});
