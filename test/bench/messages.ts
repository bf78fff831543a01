import { setTimeout } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { startSendGrid } from "../vendors/sendgrid.ts";
import { median, perSecond, timedPost } from "./measure.ts";
import { line } from "./print.ts";

const ROUNDS = 150;
const WARM_UP = 20;
/** Concurrent requests, and the seconds of each kind. */
const PARALLEL = 16;
const SECONDS = 4;
const RECIPIENTS = 500;
/** The end of the patience with the delivery. */
const PATIENCE_MS = 120_000;

const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** Requests for messages against a plain create of a record, and the way of an email to a vendor on this machine. */
export const benchMessages = async ({ url, mongoUri }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const email = "owner@messages.example.test";
  const { body: registered } = await http.post("/v1/register", {
    body: { organization_name: "Messages", email, password: "correct horse battery staple" },
    expect: 201,
  });
  const token: string = registered.access_token;
  const mongo = await new MongoClient(mongoUri).connect();
  await mongo
    .db("base")
    .collection<{ _id: string }>("domain_holder")
    .insertOne({
      _id: "messages.example.test",
      organization_id: registered.organization_id,
      since: new Date(),
    } as never);
  await mongo.close();
  const vendor = await startSendGrid();
  const arrived = new Map<string, number>();
  vendor.behave(({ id }) => {
    arrived.set(id, performance.now());
    return "accept";
  });
  const value = { api_key: vendor.apiKey };
  const credential = { name: "Vendor", kind: "emailvendor", provider: "sendgrid", base_url: vendor.origin, value };
  await http.post("/v1/object/auth_credential", { token, body: credential, expect: 201 });

  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (path: string, body: unknown, status: number) =>
    timedPost({ url: `${url}${path}`, headers }, JSON.stringify(body), status);
  const mail = { to_emails: ["ada@example.com"], from_email: email, subject: "Hello", plain_text_content: "Hello." };
  const send = "/v1/email-services/emailvendor/send";
  const kinds = {
    "create of a record": () => post("/v1/object/lead", { name: "Ada" }, 201),
    "email accepted": () => post(send, mail, 200),
    "notification accepted": () => post("/v1/notifications/dynamic", { title: "Hello" }, 202),
  };
  /** Waits until the vendor has so many emails. */
  const delivered = async (count: number): Promise<void> => {
    const end = performance.now() + PATIENCE_MS;
    while (arrived.size < count) {
      if (performance.now() > end) throw new Error(`${arrived.size} of ${count} emails have arrived.`);
      await setTimeout(5);
    }
  };

  let emails = 0;
  const times = new Map(Object.keys(kinds).map((name) => [name, [] as number[]]));
  const ways: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [name, request] of Object.entries(kinds)) {
      const { milliseconds } = await request();
      const accepted = performance.now();
      if (round >= 0) times.get(name)?.push(milliseconds);
      if (name !== "email accepted") continue;
      emails += 1;
      await delivered(emails);
      const last = Math.max(...arrived.values());
      if (round >= 0) ways.push(Math.max(last - accepted, 0));
    }
  }
  const plain = median(times.get("create of a record") ?? []);
  for (const [name, own] of times) {
    line(name, `${(median(own) / plain).toFixed(2)} ×`, `${median(own).toFixed(1)} ms, p99 ${p99(own).toFixed(1)} ms`);
  }
  line("email, from accepted to the vendor", `${median(ways).toFixed(1)} ms`, `p99 ${p99(ways).toFixed(1)} ms`);

  const rates = new Map<string, number>();
  for (const [name, request] of Object.entries(kinds)) {
    rates.set(name, await perSecond(request, PARALLEL, SECONDS));
    if (name === "email accepted") await setTimeout(SECONDS * 1000);
  }
  const records = rates.get("create of a record") ?? Number.NaN;
  for (const [name, rate] of rates) {
    line(`${name}, ${PARALLEL} at once`, `${rate.toFixed(0)} a second`, `${(rate / records).toFixed(2)} × of creates`);
  }
  // The rest of those emails.
  for (let before = -1; before !== arrived.size; await setTimeout(2_000)) before = arrived.size;

  const before = arrived.size;
  const list = { ...mail, to_emails: Array.from({ length: RECIPIENTS }, (_, index) => `p${index}@example.com`) };
  await post(send, { ...list, category: "list" }, 200);
  const start = performance.now();
  await delivered(before + RECIPIENTS);
  const seconds = (performance.now() - start) / 1000;
  line(`emails through the workers, ${RECIPIENTS} at once`, `${(RECIPIENTS / seconds).toFixed(0)} a second`);
  await vendor.stop();
};
