import { randomBytes } from "node:crypto";
import { MongoClient } from "mongodb";
import { claimsOf } from "../setup/forge-token.ts";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { makeSandbox } from "../setup/replaced-copy.ts";
import { perSecond, timedPost } from "./measure.ts";
import { line } from "./print.ts";

const WRITERS = 8;
const TURNS = 4;
const SECONDS = 4;
const TARGET = 0.5;
const SANDBOX_TARGET = 0.5;

const object = {
  name: "Ticket",
  fields: [
    { name: "Number", type: "number", format: "auto-number" },
    { name: "Code", type: "string", unique: true },
  ],
};

/** The token of a new organization with an object that has an automatic number and a unique field. */
const prepare = async ({ url }: LaunchedPlatform["access"], index: number): Promise<string> => {
  const http = httpClient(url);
  const { body } = await http.post("/v1/register", {
    body: {
      organization_name: `Writers ${index}`,
      email: `writers-${index}@example.test`,
      password: "correct horse battery staple",
    },
    expect: 201,
  });
  await http.post("/v1/schema", { token: body.access_token, body: object, expect: 201 });
  return body.access_token;
};

/** As `prepare`, but the organization has a write fence like a sandbox. */
const prepareSandbox = async (access: LaunchedPlatform["access"], index: number): Promise<string> => {
  const token = await prepare(access, index);
  const mongo = await new MongoClient(access.mongoUri).connect();
  await makeSandbox(mongo, String(claimsOf(token).org));
  await mongo.close();
  return token;
};

const ratio = (what: string, part: number, whole: number, target: number): void => {
  const quotient = part / whole;
  line(what, `${quotient.toFixed(2)} ×`, `target ≥ ${target} × ${quotient >= target ? "met" : "missed"}`);
  line("", `${Math.round(part)} : ${Math.round(whole)} records/s`);
};

/**
 * Records created in a second by eight writers of one organization, against eight writers of eight organizations and
 * eight of one sandbox, in turns. Each record has an audit entry, an automatic number and a unique value.
 */
export const benchWriters = async (access: LaunchedPlatform["access"]): Promise<void> => {
  const tokens: string[] = [];
  for (let index = 0; index < WRITERS; index += 1) tokens.push(await prepare(access, index));
  const sandbox = await prepareSandbox(access, WRITERS);
  const rate = (bearers: readonly string[], seconds: number): Promise<number> => {
    let turn = 0;
    const create = () => {
      const token = bearers[turn % bearers.length];
      turn += 1;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const record = { name: "Ticket", code: randomBytes(12).toString("hex") };
      return timedPost({ url: `${access.url}/v1/object/ticket`, headers }, JSON.stringify(record), 201);
    };
    return perSecond(create, WRITERS, seconds);
  };
  const one = tokens.slice(0, 1);
  const sums = { one: 0, many: 0, sandbox: 0 };
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const inOne = await rate(one, SECONDS);
    const inMany = await rate(tokens, SECONDS);
    const inSandbox = await rate([sandbox], SECONDS);
    // The first turn warms up.
    if (turn === 0) continue;
    sums.one += inOne / TURNS;
    sums.many += inMany / TURNS;
    sums.sandbox += inSandbox / TURNS;
  }
  ratio("8 writers in one organization ÷ in 8", sums.one, sums.many, TARGET);
  ratio("8 writers in one sandbox ÷ in one organization", sums.sandbox, sums.one, SANDBOX_TARGET);
};
