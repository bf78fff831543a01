import type { UpdateFilter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { type MailAnswer, sendPlainMail } from "#shared/foundation/aws/ses";
import { now, nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { openSecret } from "#shared/foundation/secrets/secrets";
import { type Base, base, type PlatformMail } from "#shared/tenant/tenant";
import { type Contents, purposeOf } from "./queue.ts";

/** Much longer than SES usually takes. */
const PATIENCE_MS = 20_000;
/** Longer than the call and its record take. */
const LEASE_MS = 40_000;
/** Of a record. Earlier ones are dropped. */
const MOST_EVENTS = 30;

type Outcome = "later" | undefined;
type Final = Extract<PlatformMail["status"], "sent" | "failed" | "unknown">;

/** Operators are told, because a person waits for it. No address and no contents. */
const report = ({ _id, kind }: PlatformMail, status: Final, reason: string): void =>
  log.error({ alarm: "platform-mail-failed", mail: _id, kind, status, reason }, "a mail of the platform was not sent");

const event = (type: string, detail?: string) => ({
  events: { $each: [{ type, at: now(), ...(detail !== undefined && { detail }) }], $slice: -MOST_EVENTS },
});

interface Ending {
  readonly filter: { readonly status: PlatformMail["status"]; readonly lease?: string };
  readonly status: Final;
  readonly detail?: string;
  readonly vendor_message_id?: string;
}

/**
 * Writes what has become of a mail, unless somebody else has. The contents of an `unknown` one are kept to be resent.
 */
const end = async (
  { platformMails, platformMailBodies, mailedTokens }: Base,
  mail: PlatformMail,
  { filter: { status: from, lease }, status, detail, vendor_message_id }: Ending,
): Promise<void> => {
  const { _id } = mail;
  const change: UpdateFilter<PlatformMail> = {
    $set: { status, ...(vendor_message_id !== undefined && { vendor_message_id }) },
    $unset: { lease: "" },
    $push: event(status, detail),
  };
  const held = { _id, status: from, ...(lease !== undefined && { "lease.id": lease }) };
  const { matchedCount } = await platformMails.updateOne(held, change);
  if (matchedCount === 0) return;
  if (status !== "unknown") await platformMailBodies.deleteOne({ _id });
  // Nobody has the token, so that it does not count for the limit of valid ones.
  if (status === "failed" && mail.token !== undefined) await mailedTokens.deleteOne({ _id: mail.token });
  if (status !== "sent") report(mail, status, detail ?? "");
};

/** Null if they have expired. `later` while KMS does not answer. */
const contentsOf = async ({ platformMailBodies }: Base, _id: string): Promise<Contents | null | "later"> => {
  const body = await platformMailBodies.findOne({ _id });
  if (body === null) return null;
  try {
    // Only `sealMail` writes it.
    return JSON.parse((await openSecret(body.sealed, purposeOf(_id))).toString("utf8")) as Contents;
  } catch (error) {
    if (error instanceof Fault && error.code === "dependency_unavailable") return "later";
    throw error;
  }
};

const record = async (known: Base, mail: PlatformMail, lease: string, answer: MailAnswer): Promise<Outcome> => {
  const filter = { status: "sending", lease } as const;
  switch (answer.outcome) {
    case "accepted":
      await end(known, mail, { filter, status: "sent", vendor_message_id: answer.id });
      return undefined;
    case "refused":
      await end(known, mail, { filter, status: "failed", detail: answer.reason });
      return undefined;
    case "unclear":
      await end(known, mail, { filter, status: "unknown", detail: answer.reason });
      return undefined;
    case "retry": {
      const again: UpdateFilter<PlatformMail> = {
        $set: { status: "queued" },
        $unset: { lease: "" },
        $push: event("not_accepted", answer.reason),
      };
      await known.platformMails.updateOne({ _id: mail._id, status: "sending", "lease.id": lease }, again);
      log.warn({ mail: mail._id, kind: mail.kind, reason: answer.reason }, "a mail is sent later");
      return "later";
    }
  }
};

/** An earlier function has ended in the middle of the call, or another one is in it. */
const settleBegun = async (known: Base, mail: PlatformMail): Promise<Outcome> => {
  const { lease } = mail;
  if (lease !== undefined && lease.until.getTime() > nowMillis()) return "later";
  const detail = "The function that called SES has ended before it wrote the answer.";
  const filter = { status: "sending", ...(lease && { lease: lease.id }) } as const;
  await end(known, mail, { filter, status: "unknown", detail });
  return undefined;
};

/**
 * Sends a queued mail, once: SES has no idempotency key, so a mail whose call has no recorded answer becomes `unknown`
 * and is not sent again. `later`: SES or KMS does not take it now. A mail that is of no use any more is failed.
 */
export const deliverPlatformMail = async (id: string): Promise<Outcome> => {
  const known = await base();
  const { platformMails, platformMailBodies } = known;
  const mail = await platformMails.findOne({ _id: id });
  if (mail === null) return undefined;
  if (mail.status === "sending") return settleBegun(known, mail);
  if (mail.status !== "queued") {
    // A function may have ended between the record and this.
    if (mail.status !== "unknown") await platformMailBodies.deleteOne({ _id: id });
    return undefined;
  }
  const filter = { status: "queued" } as const;
  const late = { filter, status: "failed", detail: "SES has not taken it while it was of use." } as const;
  if (mail.valid_until.getTime() <= nowMillis()) {
    await end(known, mail, late);
    return undefined;
  }
  const contents = await contentsOf(known, id);
  if (contents === "later") return "later";
  if (contents === null) {
    await end(known, mail, late);
    return undefined;
  }
  const lease = { id: uuidv7(), until: new Date(nowMillis() + LEASE_MS) };
  const claimed = await platformMails.updateOne(
    { _id: id, status: "queued" },
    { $set: { status: "sending", lease }, $inc: { attempts: 1 } },
  );
  if (claimed.matchedCount === 0) return "later";
  const answer = await sendPlainMail({ from: env.mailSender(), to: mail.to, ...contents, within: PATIENCE_MS });
  return record(known, mail, lease.id, answer);
};
