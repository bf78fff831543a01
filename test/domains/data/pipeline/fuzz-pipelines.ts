import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import type { HttpReply } from "../../../setup/http-client.ts";
import type { LaunchedPlatform } from "../../../setup/launch-platform.ts";
import { arbitraryPipeline, objects } from "./arbitrary-pipeline.ts";
import { inject } from "./inject.ts";
import { createWorld, type World } from "./pipeline-world.ts";

export interface FuzzOptions {
  /** The number of pipelines. Each is sent about five times. */
  readonly runs: number;
  readonly seed?: number;
}

/** The number of pipelines by result, because a fuzzer whose pipelines are all refused proves little. */
export interface FuzzFigures {
  readonly seed: number;
  readonly answered: number;
  readonly refused: number;
  readonly failed: number;
}

interface Attempt {
  readonly collection: string;
  readonly pipeline: unknown[];
}

const send = ({ http }: World, token: string, attempt: Attempt): Promise<HttpReply> =>
  http.post("/v1/query/docdb", { token, body: attempt });

const headersOf = (reply: HttpReply): string =>
  JSON.stringify([...reply.headers].filter(([name]) => name.startsWith("x-") && name !== "x-request-id"));

/** Everything in a reply. */
const learned = (reply: HttpReply): string =>
  `${reply.status} ${headersOf(reply)} ${reply.text.replace(/"request_id":"[^"]*"/, "")}`;

/** Checks that there is a reply without hidden values, and that every refusal has a path. */
const check = (attempt: Attempt, reply: HttpReply, markers: readonly string[]): void => {
  const told = learned(reply);
  const context = `${JSON.stringify(attempt)}\n→ ${told.slice(0, 1_000)}`;
  assert.ok(reply.status === 200 || reply.status === 422, `neither answered nor refused: ${context}`);
  for (const marker of markers) assert.ok(!told.includes(marker), `a secret is shown: ${context}`);
  if (reply.status === 200) return;
  for (const issue of reply.body.detail) {
    const isPlaced = issue.type === "json_invalid" || ["pipeline", "collection"].includes(issue.loc[1]);
    assert.ok(isPlaced && issue.msg !== "", `a refusal without a path: ${context}`);
    if (issue.type !== "operator_not_allowed") continue;
    assert.ok(issue.loc.includes(issue.ctx.operator) || issue.ctx.operator.startsWith("$$"), `no operator: ${context}`);
    assert.ok(issue.msg.startsWith(issue.ctx.path), `no path: ${context}`);
  }
};

const changesByItself = ({ pipeline }: Attempt): boolean => /\$(?:rand|sample|\$NOW)"/.test(JSON.stringify(pipeline));

const same = (attempt: Attempt, before: HttpReply, after: HttpReply): void => {
  if (changesByItself(attempt)) return;
  assert.equal(learned(after), learned(before), `a secret makes a difference: ${JSON.stringify(attempt)}`);
};

const checkRefusal = async (world: World, attempt: Attempt, random: () => number, target: string): Promise<void> => {
  const { pipeline, jsonPath } = inject(attempt.pipeline, random, target);
  const reply = await send(world, world.ownerToken, { ...attempt, pipeline });
  const loc = ["body", ...jsonPath];
  const found = reply.status === 422 && reply.body.detail.some((issue: { loc: unknown }) => isSame(issue.loc, loc));
  const beforeThat = reply.status === 422 && /json_invalid|no field can have this name/.test(reply.text);
  assert.ok(
    found || beforeThat,
    `not refused at ${JSON.stringify(loc)}: ${JSON.stringify(pipeline)}\n${learned(reply)}`,
  );
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Random pipelines of the whole vocabulary and beyond. Each is sent twice by an owner and by a member, and in between
 * the values that they may not see are changed: any difference between the two replies is a leak.
 */
const fuzzRound = async (world: World, attempts: readonly Attempt[], round: number): Promise<HttpReply[]> => {
  const { ownerToken, memberToken, secretMarker, hiddenMarker } = world;
  const all = async (token: string, markers: readonly string[]): Promise<HttpReply[]> => {
    const replies: HttpReply[] = [];
    for (const attempt of attempts) {
      const reply = await send(world, token, attempt);
      check(attempt, reply, markers);
      replies.push(reply);
    }
    return replies;
  };
  const compare = (before: readonly HttpReply[], after: readonly HttpReply[]): void =>
    attempts.forEach((attempt, index) => void same(attempt, before[index] as HttpReply, after[index] as HttpReply));
  const owner = await all(ownerToken, [secretMarker]);
  const member = await all(memberToken, [secretMarker, hiddenMarker]);
  await world.changeSecrets(round + 1);
  compare(owner, await all(ownerToken, [secretMarker]));
  await world.changeHidden(round + 1);
  compare(member, await all(memberToken, [secretMarker, hiddenMarker]));
  return owner;
};

const ROUND = 50;

/** Raises an assertion with the pipeline that was not refused. */
export const fuzzPipelines = async (
  access: LaunchedPlatform["access"],
  { runs, seed = randomBytes(4).readInt32LE() }: FuzzOptions,
): Promise<FuzzFigures> => {
  const world = await createWorld(access);
  const target = `stolen_${randomBytes(6).toString("hex")}`;
  const collection = fc.constantFrom(...objects, ...objects, "auth_credential", "organization", "invoice");
  const attempt = fc.record({ collection, pipeline: arbitraryPipeline({ foreign: world.foreign, target }) });
  const attempts = fc.sample(attempt, { numRuns: runs, seed });
  const random = randomOf(seed);
  const figures = { seed, answered: 0, refused: 0, failed: 0 };
  try {
    await world.changeSecrets(0);
    await world.changeHidden(0);
    for (let start = 0; start < runs; start += ROUND) {
      const some = attempts.slice(start, start + ROUND);
      for (const reply of await fuzzRound(world, some, start / ROUND)) {
        if (reply.status === 200) figures.answered += 1;
        else if (reply.text.includes("pipeline_failed")) figures.failed += 1;
        else figures.refused += 1;
      }
      const before = await world.digest(target);
      for (const one of some) {
        await checkRefusal(world, one, random, target);
        await send(world, world.memberToken, one);
      }
      assert.equal(await world.digest(target), before, `something was written (seed ${seed})`);
    }
    return figures;
  } finally {
    await world.close();
  }
};

/** Mulberry32, a small seeded generator. */
const randomOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
