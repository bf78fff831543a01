import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Document, MongoClient } from "mongodb";
import { temporaryDirectory } from "../local/run.ts";
import { httpClient } from "../setup/http-client.ts";
import { plantedExecution } from "../setup/planted-execution.ts";
import { type PlatformProcess, startPlatformProcess } from "../setup/platform-process.ts";
import { type Behaviour, type SendGrid, type Step, startSendGrid } from "../vendors/sendgrid.ts";

type Stored = Document & { _id: string };

export interface VolumeOptions {
  readonly messages: number;
  /** At which steps of a call the platform is killed, one after the other, each after so many further calls. */
  readonly kills: readonly { readonly at: Step; readonly after: number }[];
  /** Calls that the vendor refuses in a row, as an outage. */
  readonly outage: number;
  readonly print?: (line: string) => void;
}

export interface VolumeResult {
  readonly statuses: Readonly<Record<string, number>>;
  readonly kills: number;
  /** Ids of messages that the vendor has accepted more than once. */
  readonly twice: readonly string[];
  /** Messages whose record does not say what the vendor has seen. */
  readonly wrong: readonly string[];
  readonly calls: number;
  /** Entries of the outbox that were delivered at least three times. */
  readonly redelivered: number;
  readonly seconds: number;
}

interface Running extends PlatformProcess {
  readonly started: number;
}

const start = async (dataDir: string): Promise<Running> => {
  const environments = { most: 64, idle: 600_000 };
  const started = await startPlatformProcess({ dataDir, passwordHashes: "weak", environments });
  return { ...started, started: Date.now() };
};

/** What the vendor does with a call: mostly what it should. */
const chance = (): Behaviour => {
  const roll = randomInt(100);
  if (roll < 5) return { status: 503, message: "not available" };
  if (roll < 8) return { status: 429 };
  if (roll < 10) return { status: 400, message: "bad request" };
  if (roll < 12) return "cut-after";
  if (roll < 14) return "cut-before";
  if (roll < 15) return { status: 504, message: "gateway timeout", accepts: true };
  return "accept";
};

const TOKEN_SECONDS = 3_600;
const EMAIL = "owner@example.test";
const PASSWORD = "correct horse battery staple";

/** A running execution, in whose name messages are sent. Gives its capability token. */
const plantExecution = async (client: MongoClient, organization: string, user: string): Promise<string> => {
  const deadline = new Date(Date.now() + TOKEN_SECONDS * 1000);
  const { document, token } = plantedExecution({
    organizationId: organization,
    user: { id: user, email: EMAIL },
    deadline,
    leaseUntil: deadline,
  });
  await client.db(organization).collection<Stored>("function_execution").insertOne(document);
  return token;
};

/** Calls that one execution may make. */
const MOST_CALLS = 900;
const AT_ONCE = 12;
/** Messages whose time comes at once. */
const ONE_TICK = 300;

/** Sends one message; false if the platform was gone. */
const sendOne = async (url: string, token: string, number: number): Promise<boolean> => {
  const request = { to_emails: [`p${number}@example.com`], subject: `Number ${number}`, plain_text_content: "Hi" };
  const body = JSON.stringify({ method: "communications.send_email", args: [request], kwargs: {} });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const reply = await fetch(`${url}/v1/internal/context`, { method: "POST", headers, body }).catch(() => undefined);
  await reply?.body?.cancel();
  return reply?.status === 200;
};

/**
 * Sends messages by a vendor that fails in many ways, while the platform is killed and every message is delivered three
 * times in a random order. Gives what has become of them.
 */
export const messageVolume = async (options: VolumeOptions): Promise<VolumeResult> => {
  const { messages, outage, print = () => undefined } = options;
  const begun = Date.now();
  const dataDir = temporaryDirectory();
  const vendor: SendGrid = await startSendGrid();
  let running = await start(dataDir);
  let dying: Promise<unknown> | undefined;
  let killed = 0;
  let steps = 0;
  const kills = [...options.kills];

  vendor.watch((step) => {
    const [next] = kills;
    if (next === undefined || step !== next.at || dying !== undefined) return;
    steps += 1;
    if (steps < next.after) return;
    kills.shift();
    steps = 0;
    killed += 1;
    print(`killed at: ${step}`);
    dying = running.kill();
  });

  const http = httpClient(running.access.url);
  const registered = await http.post("/v1/register", {
    body: { organization_name: "Volume", email: EMAIL, password: PASSWORD, first_name: "Olga", last_name: "Owner" },
    expect: 201,
  });
  const organization: string = registered.body.organization_id;
  const token: string = registered.body.access_token;
  const user: string = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub;
  const credential = { name: "v", kind: "emailvendor", provider: "sendgrid", base_url: vendor.origin };
  const body = { ...credential, value: { api_key: vendor.apiKey } };
  await http.post("/v1/object/auth_credential", { token, body, expect: 201 });

  const withDatabase = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const client = await new MongoClient(running.access.mongoUri, { serverSelectionTimeoutMS: 5_000 }).connect();
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };

  // As if DNS had proven the domain of the sender.
  const holder = { organization_id: organization, since: new Date() };
  const _id = EMAIL.slice(EMAIL.indexOf("@") + 1);
  await withDatabase((client) =>
    client.db("base").collection<Stored>("domain_holder").updateOne({ _id }, { $set: holder }, { upsert: true }),
  );

  /** Starts the platform again if it was killed. */
  const revived = async (): Promise<void> => {
    if (dying === undefined) return;
    await dying;
    running = await start(dataDir);
    dying = undefined;
  };

  const awsOf = ({ access }: Running) => ({
    endpoint: access.awsEndpoint,
    region: access.region,
    credentials: access.credentials,
  });

  /** Entries of the outbox that were delivered three times. */
  const redelivered = new Set<string>();
  /** Delivers each entry of the outbox twice more, in a random order. */
  const deliverTwice = async (client: MongoClient): Promise<void> => {
    const entries = await client
      .db(organization)
      .collection<Stored>("_outbox")
      .find({ queue: "deliver-message" })
      .project({ _id: 1 })
      .toArray();
    const ids = entries.map(({ _id }) => String(_id)).filter((id) => !redelivered.has(id));
    const sqs = new SQSClient(awsOf(running));
    const QueueUrl = `${running.access.awsEndpoint}/000000000000/tenantry-${running.access.stage}-deliver-message`;
    const shuffled = [...ids, ...ids].sort(() => Math.random() - 0.5);
    for (const id of ids) redelivered.add(id);
    const Entries = shuffled.map((id, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify({ organization, id }),
      MessageGroupId: organization,
      DelaySeconds: randomInt(3),
    }));
    for (let at = 0; at < Entries.length; at += 10) {
      await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: Entries.slice(at, at + 10) }));
    }
  };

  /** Lets the time come of what waits. Leases of workers of this process stay: they may be alive. */
  const passTime = async (client: MongoClient): Promise<void> => {
    const db = client.db(organization);
    const past = new Date(Date.now() - 1_000);
    const ofTheDead = (lease: number) => ({ $lt: new Date(running.started + lease) });
    const mails = db.collection<Stored>("email_message");
    // Not of all: in an outage each attempt sets the next one, and the jobs would send all messages again and again.
    const waiting = await mails
      .find({ status: "queued", "_delivery.next_attempt_at": { $gt: past } })
      .sort({ "_delivery.next_attempt_at": 1 })
      .limit(ONE_TICK)
      .project({ _id: 1 })
      .toArray();
    await mails.updateMany(
      { _id: { $in: waiting.map(({ _id }) => _id) } },
      { $set: { "_delivery.next_attempt_at": past } },
    );
    // What has lost its entry of the outbox is queued again after an hour.
    const entries = await db
      .collection<Stored>("_outbox")
      .find({ status: { $ne: "failed" } })
      .toArray();
    const held = entries.flatMap(({ payload }) => (typeof payload === "string" ? JSON.parse(payload).id : []));
    await mails.updateMany(
      { status: "queued", "_delivery.next_attempt_at": { $exists: false }, _id: { $nin: held } },
      { $set: { last_event_time: new Date(0) } },
    );
    await mails.updateMany(
      { status: "sending", "_delivery.lease.until": ofTheDead(40_000) },
      { $set: { "_delivery.lease.until": past, "_delivery.next_attempt_at": past } },
    );
    await db
      .collection<Stored>("_outbox")
      .updateMany({ status: "running", "lease.until": ofTheDead(100_000) }, { $set: { "lease.until": past } });
    await db
      .collection<Stored>("_outbox")
      .updateMany({ status: "pending" }, { $set: { created: new Date(Date.now() - 60_000) } });
    await db
      .collection<Stored>("_vendor_circuit")
      .updateMany({ open_until: { $exists: true } }, { $set: { open_until: past } });
    const lambda = new LambdaClient(awsOf(running));
    for (const job of ["sweep-outbox", "sweep-messages"]) {
      await lambda.send(new InvokeCommand({ FunctionName: `tenantry-${running.access.stage}-${job}`, Payload: "{}" }));
    }
  };

  let left = messages;
  /** The time of what waits comes while messages are accepted too. Otherwise an open circuit would hold all of them. */
  const ticking = (async (): Promise<void> => {
    for (let tick = 1; left > 0; tick += 1) {
      await setTimeout(200);
      if (dying !== undefined) continue;
      // The platform may be gone.
      await withDatabase(deliverTwice).catch(() => undefined);
      if (tick % 10 !== 0) continue;
      await withDatabase(passTime).catch(() => undefined);
      print(`${messages - left} messages are accepted, ${vendor.calls.length} calls`);
    }
  })();
  vendor.behave((_mail, call) => (call > 20 && call <= 20 + outage ? { status: 503, message: "down" } : chance()));
  while (left > 0) {
    await revived();
    let capability = "";
    let calls = MOST_CALLS;
    const sender = async (): Promise<void> => {
      while (left > 0 && dying === undefined) {
        left -= 1;
        calls += 1;
        if (!(await sendOne(running.access.url, capability, left))) {
          left += 1;
          return;
        }
        if (calls > MOST_CALLS) return;
      }
    };
    try {
      capability = await withDatabase((client) => plantExecution(client, organization, user));
      calls = 0;
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
    } catch {
      // The platform is gone.
    }
    await setTimeout(50);
  }
  await ticking;
  print("all messages are accepted");

  const waiting = { status: { $in: ["queued", "sending", "scheduled"] } };
  for (let rest = messages; rest > 0; ) {
    await revived();
    try {
      rest = await withDatabase(async (client) => {
        await deliverTwice(client);
        await passTime(client);
        return client.db(organization).collection("email_message").countDocuments(waiting);
      });
      print(`${rest} messages wait`);
    } catch (error) {
      if (dying === undefined) print(String(error));
    }
    await setTimeout(500);
  }
  await revived();

  const records = await withDatabase((client) =>
    client.db(organization).collection<Stored>("email_message").find().project({ status: 1 }).toArray(),
  );
  const times = new Map<string, number>();
  for (const { id } of vendor.accepted) times.set(id, (times.get(id) ?? 0) + 1);
  const statuses: Record<string, number> = {};
  const wrong: string[] = [];
  for (const { _id, status } of records) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    const accepted = times.get(_id) ?? 0;
    const isRight =
      (status === "sent" && accepted === 1) || (status === "failed" && accepted === 0) || status === "unknown";
    if (!isRight) wrong.push(`${_id} is ${status} and was accepted ${accepted} times`);
  }
  if (records.length < messages) wrong.push(`there are ${records.length} messages and not ${messages}`);
  await running.stop();
  await vendor.stop();
  await rm(dataDir, { recursive: true, force: true });
  return {
    statuses,
    kills: killed,
    twice: [...times].filter(([, count]) => count > 1).map(([id]) => id),
    wrong,
    calls: vendor.calls.length,
    redelivered: redelivered.size,
    seconds: Math.round((Date.now() - begun) / 1000),
  };
};
