import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";

export interface Mail {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const parse = (content: string): Mail => {
  const [head = "", ...body] = content.split("\r\n\r\n");
  const headers = head.split("\r\n").map((line) => {
    const [name = "", ...value] = line.split(": ");
    return [name.toLowerCase(), value.join(": ")] as const;
  });
  return { headers: Object.fromEntries(headers), text: body.join("\r\n\r\n").replaceAll("\r\n", "\n") };
};

export const readMails = (directory: string, email: string): Mail[] => {
  const names = existsSync(directory) ? readdirSync(directory).sort() : [];
  return names
    .filter((name) => name.endsWith(`-${email}.eml`))
    .map((name) => parse(readFileSync(join(directory, name), "utf8")));
};

/** A generous limit for a busy machine. */
const PATIENCE_MS = 120_000;
const POLL_MS = 5;

/** Whether a mail to the address waits, or a request for a new password. */
const isWaiting = async (base: Db, email: string): Promise<boolean> => {
  // In this order, because a request is completed after its mail is queued.
  const asked = { queue: "password-reset", status: { $ne: "failed" } };
  const requests = await base
    .collection("_outbox")
    .find(asked, { projection: { payload: 1 } })
    .toArray();
  if (requests.some(({ payload }) => JSON.parse(payload).email === email)) return true;
  const waiting = { to: email, status: { $in: ["queued", "sending"] } };
  return (await base.collection("platform_mail").findOne(waiting, { projection: { _id: 1 } })) !== null;
};

/**
 * The mails of the platform to an address, in the order in which they were queued. Waits until none is on its way.
 * `base`: the base database.
 */
export const mailsOf = async (base: Db, directory: string, email: string): Promise<Mail[]> => {
  for (const end = Date.now() + PATIENCE_MS; await isWaiting(base, email); await sleep(POLL_MS)) {
    if (Date.now() > end) throw new Error(`A mail to ${email} was not sent in time.`);
  }
  const records = await base.collection("platform_mail").find({ to: email }).sort({ _id: 1 }).toArray();
  const ids = records.map(({ vendor_message_id: id }) => `<${id}@local.tenantry.invalid>`);
  const placeOf = ({ headers }: Mail): number => ids.indexOf(headers["message-id"] ?? "");
  return readMails(directory, email).toSorted((a, b) => placeOf(a) - placeOf(b));
};
