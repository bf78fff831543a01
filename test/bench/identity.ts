import { type Document, MongoClient } from "mongodb";
import { decodeHash, hashPassword } from "#shared/identity/credentials/password-hash";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { comparePair, perSecond, timedGet, timedPost } from "./measure.ts";
import { line } from "./print.ts";

const PASSWORD = "correct horse battery staple";
const REDIRECT = "https://app.example.com/callback";
const AT_ONCE = 4;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

type Compared = Awaited<ReturnType<typeof comparePair>>;

const compared = (what: string, than: string, { first, second, ratio }: Compared): void => {
  line(`${what}, one after the other`, `${(1000 / first).toFixed(1)} /s`);
  line(`÷ ${than}`, `${ratio.toFixed(2)} ×`);
  line("", `${first.toFixed(2)} : ${second.toFixed(2)} ms`);
};

/** The first concurrent requests start as many execution environments. */
const rate = async (work: () => Promise<unknown>): Promise<number> => {
  await perSecond(work, AT_ONCE, 4);
  return perSecond(work, AT_ONCE, 4);
};

/** Two works in turns, so that a busy moment of the machine affects both. */
const rates = async (first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<[number, number]> => {
  await perSecond(first, AT_ONCE, 4);
  const turns = [first, second, second, first, first, second];
  const sums = new Map([first, second].map((work) => [work, 0]));
  for (const work of turns) sums.set(work, (sums.get(work) ?? 0) + (await perSecond(work, AT_ONCE, 1.5)));
  const mean = (work: () => Promise<unknown>): number => ((sums.get(work) ?? 0) * 2) / turns.length;
  return [mean(first), mean(second)];
};

/** Each concurrent work has its own person, because several sign-ins of one person wait for each other. */
const eachWith = <T>(people: readonly T[], work: (person: T) => Promise<unknown>): (() => Promise<void>) => {
  const free = [...people];
  return async () => {
    const person = free.pop();
    if (person === undefined) throw new Error("more at once than there are people");
    await work(person);
    free.push(person);
  };
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** People with the same password and organization, inserted into the database directly. */
const copiesOf = async (mongo: MongoClient, email: string, organization: string): Promise<string[]> => {
  const emails = Array.from({ length: AT_ONCE }, (_, index) => `${index}-${email}`);
  for (const database of ["base", organization]) {
    const users = mongo.db(database).collection<Document & { _id: string }>("user");
    const original = await users.findOne({ email });
    await users.insertMany(emails.map((copy) => ({ ...original, _id: copy, id: copy, email: copy })));
  }
  return emails;
};

/** A chain of rotating refresh tokens of an app. */
const rotation = async (http: HttpClient, url: string, token: string): Promise<() => Promise<number>> => {
  const app = { name: "Bench", type: "confidential", redirect_uris: [REDIRECT] };
  const { client_id, client_secret } = (await http.post("/v1/auth/client", { token, body: app, expect: 201 })).body;
  const consent = { client_id, redirect_uri: REDIRECT, response_type: "code" };
  const { code } = (await http.post("/v1/oauth2/authorize", { token, body: consent, expect: 200 })).body;
  const grant = { grant_type: "authorization_code", client_id, client_secret, code, redirect_uri: REDIRECT };
  let refresh_token = String((await http.post("/v1/oauth2/token", { form: grant, expect: 200 })).body.refresh_token);
  return async () => {
    const form = new URLSearchParams({ grant_type: "refresh_token", client_id, client_secret, refresh_token });
    const { milliseconds, text } = await timedPost({ url: `${url}/v1/oauth2/token`, headers: FORM }, String(form));
    refresh_token = String(JSON.parse(text).refresh_token);
    return milliseconds;
  };
};

/** Sign-in and refresh, end to end. */
export const benchIdentity = async ({ url, mongoUri }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const email = "identity@example.test";
  const { body: owner } = await http.post("/v1/register", {
    body: { organization_name: "Identity", email, password: PASSWORD },
    expect: 201,
  });
  const mongo = await new MongoClient(mongoUri).connect();
  const stored = await mongo.db("base").collection("user").findOne({ email });
  const { memory, passes, parallelism } = decodeHash(String(stored?.password_hash));
  const costs = { memory, passes, parallelism };
  line("passwords", `argon2id, m = ${memory} KiB, t = ${passes}, p = ${parallelism}`);

  const login = async (username: string): Promise<number> => {
    const form = new URLSearchParams({ username, password: PASSWORD });
    return (await timedPost({ url: `${url}/v1/oauth2/login`, headers: FORM }, String(form))).milliseconds;
  };
  const hash = () => hashPassword(PASSWORD, costs);
  compared(
    "POST /v1/oauth2/login",
    "its password hash alone",
    await comparePair(
      () => login(email),
      () => timed(hash),
      100,
    ),
  );
  const people = await copiesOf(mongo, email, owner.organization_id);
  const [logins, hashes] = await rates(eachWith(people, login), hash);
  line(`POST /v1/oauth2/login, ${AT_ONCE} people at once`, `${logins.toFixed(1)} /s`);
  line("÷ password hashes alone, as many at once", `${(logins / hashes).toFixed(2)} ×`);
  line("", `${logins.toFixed(1)} : ${hashes.toFixed(1)} /s`);
  await mongo.close();

  const deep = () => timedGet({ url: `${url}/v1/status?deep=true` });
  const json = { "content-type": "application/json" };
  const kept = JSON.stringify({ refresh_token: owner.refresh_token });
  const refresh = async () => (await timedPost({ url: `${url}/v1/oauth2/refresh`, headers: json }, kept)).milliseconds;
  compared("POST /v1/oauth2/refresh", "GET /v1/status?deep=true", await comparePair(refresh, deep, 300));
  line(`POST /v1/oauth2/refresh, ${AT_ONCE} at once`, `${(await rate(refresh)).toFixed(0)} /s`);

  const chains = await Promise.all(Array.from({ length: AT_ONCE }, () => rotation(http, url, owner.access_token)));
  const [chain = refresh] = chains;
  const rotated = "POST /v1/oauth2/token (refresh)";
  compared(rotated, "GET /v1/status?deep=true", await comparePair(chain, deep, 300));
  line(`${rotated}, ${AT_ONCE} at once`, `${(await rate(eachWith(chains, (next) => next()))).toFixed(0)} /s`);
};
