import { setTimeout } from "node:timers/promises";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseClient, type HttpReply, http, registerOrganization, type User } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

type Stored = Document & { _id: string };

const steps = sandboxSteps(http);
const isFuzz = process.env.FUZZ_SEED !== undefined;
const ROUNDS = isFuzz ? 10 : 3;
const TEMPLATES = isFuzz ? 1000 : 50;

let mongo: MongoClient;
let owner: User;
let token: string;

/** Every record of the configuration has the number of the round in its name. */
const setRound = async (round: number): Promise<void> => {
  const production = mongo.db(owner.organizationId);
  for (const kind of ["app", "role"]) await production.collection(kind).updateMany({}, { $set: { name: `g${round}` } });
};

beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
  const post = (path: string, body: unknown) => http.post(path, { token: owner.token, body, expect: 201 });
  await post(
    "/v1/object/app",
    [1, 2, 3, 4, 5].map((index) => ({ name: "g0", api_name: `app${index}` })),
  );
  await post("/v1/object/role", { name: "g0", view_access: "full" });
  const { body } = await post("/v1/object/template", { name: "Template" });
  const templates = mongo.db(owner.organizationId).collection<Stored>("template");
  const one = (await templates.findOne({ _id: body.id })) as Stored;
  await templates.insertMany(Array.from({ length: TEMPLATES }, (_, index) => ({ ...one, _id: `t${index}` })));
  await setRound(0);
  token = await steps.enter(owner.token, (await steps.create(owner.token, "box")).id);
});
afterAll(() => mongo.close());

/** When the sandbox was refused, seen from outside. */
const refusals: { from: number; to: number }[] = [];
let refusedSince: number | undefined;

/** Refusals are those of the gate, and say when to come again. */
const isAnswered = (reply: HttpReply): boolean => {
  if (reply.status === 503) {
    expect([reply.body.code, reply.headers.get("retry-after")]).toEqual(["sandbox_refreshing", "5"]);
    refusedSince ??= performance.now();
    return false;
  }
  expect([200, 201]).toContain(reply.status);
  if (refusedSince !== undefined) refusals.push({ from: refusedSince, to: performance.now() });
  refusedSince = undefined;
  return true;
};

const seen: string[] = [];

const namesIn = (rows: readonly { name: string; other?: readonly { name: string }[] }[]): string[] =>
  rows.flatMap(({ name, other = [] }) => [name, ...other.map((one) => one.name)]);

/** Two objects in one request, with the schema or the records of one. */
const reads: readonly (() => Promise<string[] | null>)[] = [
  async () => {
    const lookup = { $lookup: { from: "role", pipeline: [], as: "other" } };
    const body = { collection: "app", pipeline: [lookup] };
    const reply = await http.post("/v1/query/docdb", { token, body });
    return isAnswered(reply) ? namesIn(reply.body.records ?? reply.body) : null;
  },
  async () => {
    const reply = await http.get("/v1/query", { token, query: { q: "SELECT name FROM app" } });
    return isAnswered(reply) ? namesIn(reply.body.records ?? reply.body) : null;
  },
  async () => {
    const reply = await http.get("/v1/object/app", { token });
    return isAnswered(reply) ? namesIn(reply.body) : null;
  },
];

interface Written {
  readonly names: readonly string[];
  /** When the write began, and when it was acknowledged. */
  readonly began: number;
  readonly ended: number;
}

const written: Written[] = [];
let isOver = false;

const readAll = async (): Promise<void> => {
  for (let turn = 0; !isOver; turn += 1) {
    const names = await reads[turn % reads.length]?.();
    if (names === null || names === undefined) continue;
    // All of one round, and all of them.
    expect([new Set(names).size, names.length >= 5]).toEqual([1, true]);
    seen.push(names[0] ?? "");
  }
};

const writeAll = async (writer: number): Promise<void> => {
  for (let turn = 0; !isOver; turn += 1) {
    const names = [1, 2, 3].map((index) => `w${writer}-${turn}-${index}`);
    const began = performance.now();
    const reply = await http.post("/v1/object/lead", { token, body: names.map((name) => ({ name })) });
    if (isAnswered(reply)) written.push({ names, began, ended: performance.now() });
  }
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo() && !isOver) await setTimeout(20);
};

test("requests during refreshes see one copy or are refused for a moment, and no write comes back", async () => {
  const work = [readAll(), readAll(), writeAll(1), writeAll(2)];
  const stopped = Promise.all(work).finally(() => {
    isOver = true;
  });
  stopped.catch(() => undefined);
  for (let round = 1; round <= ROUNDS && !isOver; round += 1) {
    await until(() => seen.includes(`g${round - 1}`) && written.length > 0);
    await setRound(round);
    const began = performance.now();
    expect(await steps.refresh(owner.token, "box")).toMatchObject({ status: "active", failure: null });
    const ended = performance.now();
    await until(() => written.filter((write) => write.began > ended).length > 2);
    const now = performance.now();
    const { body } = await http.get("/v1/query", {
      token,
      query: { q: "SELECT name FROM lead LIMIT 10000" },
      expect: 200,
    });
    const stored = new Set(namesIn(body.records));
    const before = written.filter((write) => write.ended < began).flatMap(({ names }) => names);
    expect(before.filter((name) => stored.has(name))).toEqual([]);
    const after = written.filter((write) => write.began > ended && write.ended < now).flatMap(({ names }) => names);
    expect(after.filter((name) => !stored.has(name))).toEqual([]);
    expect(after.length).toBeGreaterThan(0);
    // A write of three records is whole.
    const beginnings = [...stored].map((name) => name.replace(/-\d+$/, ""));
    const halves = beginnings.filter((name) => beginnings.filter((other) => other === name).length !== 3);
    expect(halves).toEqual([]);
    const configuration = await http.get("/v1/object/app", { token, expect: 200 });
    expect(new Set(namesIn(configuration.body))).toEqual(new Set([`g${round}`]));
  }
  await until(() => seen.includes(`g${ROUNDS}`));
  isOver = true;
  await stopped;
  expect(new Set(seen)).toEqual(new Set(Array.from({ length: ROUNDS + 1 }, (_, round) => `g${round}`)));
  const longest = Math.max(0, ...refusals.map(({ from, to }) => to - from));
  console.info(`Refused for at most ${Math.round(longest)} ms, ${refusals.length} times, in ${ROUNDS} refreshes.`);
});
