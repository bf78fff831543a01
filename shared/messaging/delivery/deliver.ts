import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { now, nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { log } from "#shared/foundation/log";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { type Configured, vendorFor } from "../vendors/configured.ts";
import type { Answer } from "../vendors/vendor.ts";
import { CAPTURED_IN_SANDBOX, CAPTURED_WITHOUT_VENDOR } from "./accept.ts";
import { closeCircuit, countFailure, passCircuit } from "./circuit.ts";
import {
  CALL_MS,
  type ClaimedMessage,
  claimInterrupted,
  claimMessage,
  type Ending,
  endClaim,
  endedWith,
  isDue,
  isInterrupted,
  messagesOf,
  putBack,
  settleQueued,
} from "./claim.ts";
import { countDaily } from "./daily.ts";
import { firstQuestion, follow } from "./follow.ts";
import { prepare, receiverGone } from "./prepare.ts";
import { type MessageKey, platformOf, reasonOf, type StoredMessage } from "./record.ts";

/** Minutes after an attempt, for the first one and those that follow. With the last one it is over. */
const RETRY_MINUTES = [1, 4, 15, 45, 120];
const MOST_ATTEMPTS = RETRY_MINUTES.length + 1;
/** From the first attempt to the last. */
const LONGEST_MS = 4 * 60 * 60_000;

const MINUTE_MS = 60_000;

/** When to try again; undefined if it is over. Shortened or lengthened at random by a fifth at most. */
const nextAttempt = (message: StoredMessage, after_s = 0): Date | undefined => {
  const { attempts = 0, first_attempt_at } = message._delivery ?? {};
  const minutes = RETRY_MINUTES[attempts - 1];
  if (minutes === undefined || attempts >= MOST_ATTEMPTS) return undefined;
  const jittered = minutes * MINUTE_MS * (randomInt(80, 121) / 100);
  const at = nowMillis() + Math.max(jittered, after_s * 1000);
  const end = (first_attempt_at?.getTime() ?? nowMillis()) + LONGEST_MS;
  return at > end ? undefined : new Date(at);
};

const failed = (reason: string): Ending => endedWith("failed", reason);

/** The vendor has certainly not taken it. */
const again = (message: StoredMessage, reason: string, after_s?: number): Ending => {
  const next_attempt_at = nextAttempt(message, after_s);
  if (next_attempt_at === undefined) return failed(`It was given up after the last attempt: ${reason}`);
  return { status: "queued", detail: reasonOf(reason), next_attempt_at };
};

const withRejected = (
  { recipients }: StoredMessage,
  rejected: readonly { readonly email: string; readonly reason: string }[],
): object => {
  if (recipients === undefined || rejected.length === 0) return {};
  const reasons = new Map(rejected.map(({ email, reason }) => [email.toLowerCase(), reasonOf(reason)]));
  return {
    recipients: recipients.map((one) => {
      const reason = reasons.get(one.email.toLowerCase());
      return reason === undefined ? one : { ...one, status: "bounced", reason };
    }),
  };
};

/** What an answer makes of a message. `unclear` comes here when nothing more can be found out. */
const endingOf = (claimed: ClaimedMessage, answer: Answer): Ending => {
  const { message } = claimed;
  switch (answer.outcome) {
    case "accepted": {
      const { vendor_message_id, status = "sent", rejected = [] } = answer;
      const names = rejected.map(({ email, reason }) => `${email}: ${reason}`).join("; ");
      return {
        status,
        ...(names !== "" && { detail: reasonOf(`Not taken for ${names}`) }),
        fields: {
          sent_date: now(),
          ...(vendor_message_id !== undefined && { vendor_message_id: vendor_message_id.slice(0, 200) }),
          ...withRejected(message, rejected),
          // No vendor of text messages that is supported reports them by itself.
          ...(claimed.object === "sms_message" && status === "sent" && { "_delivery.poll_at": firstQuestion() }),
        },
      };
    }
    case "refused":
    case "gone":
      return failed(answer.reason);
    case "retry":
      return again(message, answer.reason, answer.after_s);
    case "unclear":
      return endedWith("unknown", `Nobody can tell whether the vendor has taken it: ${answer.reason}`);
  }
};

/** The vendor has answered: what it said must not be lost, because it cannot be asked again. */
const WRITES = [0, 200, 1_000, 3_000];

const store = async (database: TenantDatabase, claimed: ClaimedMessage, answer: Answer): Promise<void> => {
  const ending = endingOf(claimed, answer);
  const facts = { organization: database.organization_id, object: claimed.object, id: claimed.id };
  for (const [index, wait] of WRITES.entries()) {
    await setTimeout(wait);
    try {
      const isOurs = await endClaim(database, claimed, ending);
      if (isOurs && ending.status === "unknown") {
        log.error({ ...facts, alarm: "message-unknown" }, "nobody can tell whether a message was sent");
      }
      if (answer.outcome === "gone") await receiverGone(database, claimed.object, claimed.message);
      return;
    } catch (error) {
      if (index === WRITES.length - 1) throw error;
      log.warn({ ...facts, err: error }, "the end of a delivery was not stored; it is tried again");
    }
  }
};

const call = async ({ vendor }: Configured, { id, message }: ClaimedMessage, outgoing: unknown): Promise<Answer> => {
  const revision = message._delivery?.revision ?? 1;
  const key = revision > 1 ? `${id}.${revision}` : id;
  try {
    return await vendor.send(outgoing, { id: key, within: CALL_MS });
  } catch (error) {
    // An adapter raises for its own errors only. The vendor may have been called.
    log.error({ vendor: vendor.name, message: id, err: error }, "an adapter failed");
    return { outcome: "unclear", reason: "The platform failed while it called the vendor." };
  }
};

/** What an unclear outcome comes to: the vendor takes it once anyhow, or can be asked. */
const clarified = async ({ vendor }: Configured, { id, message }: ClaimedMessage, answer: Answer): Promise<Answer> => {
  if (answer.outcome !== "unclear") return answer;
  if (vendor.deduplicates) return { outcome: "retry", reason: answer.reason };
  if (vendor.lookup === undefined) return answer;
  try {
    const found = await vendor.lookup(id, message.vendor_message_id);
    return found === "unknown" ? answer : found;
  } catch (error) {
    log.warn({ vendor: vendor.name, message: id, err: error }, "a vendor could not be asked for a message");
    return answer;
  }
};

/** Ends a message whose worker has died in the middle of a call. */
const resolve = async (database: TenantDatabase, key: MessageKey): Promise<void> => {
  const claimed = await claimInterrupted(database, key);
  if (claimed === null) return;
  const configured = await vendorFor(database, key.object, platformOf(claimed.message));
  const unclear = { outcome: "unclear", reason: "The function that sent it has ended in the middle." } as const;
  const isSame = configured?.vendor.name === claimed.message._delivery?.vendor;
  await store(
    database,
    claimed,
    configured !== null && isSame ? await clarified(configured, claimed, unclear) : unclear,
  );
};

/** What becomes of a queued message that no vendor gets. */
const withoutVendor = ({ is_sandbox }: TenantDatabase): Ending => {
  if (is_sandbox) return { status: "captured", detail: CAPTURED_IN_SANDBOX };
  if (env.capturesWithoutVendor()) return { status: "captured", detail: CAPTURED_WITHOUT_VENDOR };
  return failed("No vendor is configured any more.");
};

/**
 * Gives a message to its vendor: at most once, also if it is called several times, at the same time, or ends in the
 * middle. Whatever the vendor does is a state of the message; what it raises are failures of our own.
 */
export const deliver = async (database: TenantDatabase, key: MessageKey): Promise<void> => {
  const message = await messagesOf(database, key).findOne({ _id: key.id });
  if (message === null) return;
  if (isInterrupted(message)) return resolve(database, key);
  if (message.status === "sent" && message._delivery?.poll_at !== undefined) return follow(database, key, message);
  if (!isDue(message)) return;
  // Everything that can fail comes before the claim: what is queued can be repeated.
  const configured = database.is_sandbox ? null : await vendorFor(database, key.object, platformOf(message));
  if (configured === null) {
    await settleQueued(database, key, withoutVendor(database));
    return;
  }
  const prepared = await prepare(database, key, message, configured);
  if ("ending" in prepared) {
    await settleQueued(database, key, prepared.ending);
    return;
  }
  const passage = await passCircuit(database, configured.key);
  if (passage instanceof Date) return putBack(database, key, passage);
  const refusal = await countDaily(database, key.object, configured);
  if (refusal !== undefined) {
    await settleQueued(database, key, failed(refusal));
    return;
  }
  const claimed = await claimMessage(database, key, {
    vendor: configured.vendor.name,
    source: configured.source,
    first: message._delivery?.first_attempt_at ?? now(),
  });
  if (claimed === null) return;
  const answer = await call(configured, claimed, prepared.outgoing);
  const isUp = answer.outcome !== "retry" && answer.outcome !== "unclear";
  await store(database, claimed, await clarified(configured, claimed, answer));
  if (!isUp) await countFailure(database, configured.key);
  else if (passage === "failing") await closeCircuit(database, configured.key);
};
