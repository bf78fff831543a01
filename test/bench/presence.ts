import { MongoClient } from "mongodb";
import { claimsOf } from "../setup/forge-token.ts";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { comparePair, perSecond, timedGet } from "./measure.ts";
import { line, ratio } from "./print.ts";

const COLLEAGUES = 5_000;
/** This many colleagues are present, and as many have an ended session. */
const DEVICES = 2;
const ROUNDS = 30;

interface Stored {
  _id: string;
}

const availability = { status: "busy", has_mobile_app: true, vacation: ["2026-08-01", "2026-08-14"] };

/** Inserts colleagues with sessions and heartbeats into the database directly. */
const fill = async (mongo: MongoClient, organization: string): Promise<void> => {
  const db = mongo.db(organization);
  const later = new Date(Date.now() + 3_600_000);
  const ids = Array.from(
    { length: COLLEAGUES },
    (_, index) => `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  );
  const beat = { at: later, status: "online" };
  const devicesOf = (id: string): string[] => Array.from({ length: DEVICES * 2 }, (_, index) => `${id}-${index}`);
  await db.collection<Stored>("user").insertMany(
    ids.map((_id, index) => {
      const person = {
        _id,
        id: _id,
        name: `Colleague Number ${index}`,
        email: `c${index}@example.test`,
        is_active: true,
      };
      return index % 4 === 0 ? { ...person, availability } : person;
    }),
  );
  await db.collection<Stored>("user_presence").insertMany(
    ids.map((_id) => {
      const devices = Object.fromEntries(devicesOf(_id).map((device) => [device, beat]));
      return { _id, last_active_at: later, devices };
    }),
  );
  await db.collection<Stored>("admitted_session").insertMany(
    ids.flatMap((user_id) =>
      devicesOf(user_id)
        .slice(0, DEVICES)
        .map((_id) => ({ _id, user_id, is_superuser: false, scope: "all", expires_at: later })),
    ),
  );
};

/** The status of 5,000 colleagues in one request, and heartbeats. */
export const benchPresence = async ({ url, mongoUri }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const { body } = await http.post("/v1/register", {
    body: { organization_name: "Presence", email: "presence@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const { access_token: token, organization_id: organization } = body;
  const mongo = await new MongoClient(mongoUri).connect();
  await fill(mongo, organization);
  await mongo.close();

  const { text, body: answer } = await http.get("/v1/status/users", { token, expect: 200 });
  const what = `GET /v1/status/users, ${answer.users.length} people, ${DEVICES} devices each`;
  const target = { url: `${url}/v1/status/users`, headers: { authorization: `Bearer ${token}` } };
  const bare = { url: `${url}/bench/${organization}/presence` };
  const measured = await comparePair(
    () => timedGet(target),
    () => timedGet(bare),
    ROUNDS,
  );
  ratio(`${what} ÷ bare handler`, measured, 2);
  const megabytes = text.length / 1e6;
  line("", `${megabytes.toFixed(2)} MB`, `target ≤ 5 MB ${megabytes <= 5 ? "met" : "missed"}`);

  // The first concurrent requests start as many execution environments.
  const warmRate = async (work: () => Promise<unknown>): Promise<string> => {
    await perSecond(work, 4, 2);
    return `${Math.round(await perSecond(work, 4, 3))} requests/s`;
  };
  const one = { ...target, url: `${url}/v1/status/me` };
  line("GET /v1/status/me, 4 at once", await warmRate(() => timedGet(one)));
  const heartbeat = JSON.stringify({ user: claimsOf(token).sub, status: "online" });
  const beat = async (): Promise<void> => {
    const reply = await fetch(`${url}/v1/status/v1/user/status`, {
      method: "POST",
      headers: { ...target.headers, "content-type": "application/json" },
      body: heartbeat,
    });
    if (reply.status !== 200) throw new Error(await reply.text());
    await reply.arrayBuffer();
  };
  line("heartbeats of one device, 4 at once", await warmRate(beat));
};
