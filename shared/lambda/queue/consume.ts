import { randomInt } from "node:crypto";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import type { MessageContract } from "#contracts/queue";
import { sendMessages } from "#shared/foundation/aws/sqs";
import { elapsedMillis, nowMillis } from "#shared/foundation/clock";
import type { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import {
  BASE,
  type Base,
  base,
  baseOutbox,
  type Claimed,
  claimEntry,
  completeEntry,
  failEntry,
  isGated,
  type Once,
  type OrganizationState,
  type OutboxDatabase,
  onceForEntry,
  openWithState,
  postponeEntry,
  releaseEntry,
  sandboxRefreshing,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { toFault } from "../http/problem.ts";
import type { Run } from "../invocation.ts";
import { delayAfter, retryIn } from "./retry.ts";

/** What SQS carries. */
const envelope = z.object({ organization: z.string(), id: z.string() });
type Body = z.output<typeof envelope>;

type Handler = (event: SQSEvent, context?: Context) => Promise<SQSBatchResponse>;

interface Attempted<P> extends Run {
  /** Of the outbox entry, a UUIDv7. The same for every attempt, so that it can be the id of what the work makes. */
  readonly id: string;
  /** 1 for the first one. */
  readonly attempt: number;
  /** How often the work has postponed it. */
  readonly postponed: number;
  readonly payload: P;
}

/** What the work gets besides the message of an organization. */
interface OfOrganization {
  readonly database: TenantDatabase;
  readonly state: OrganizationState;
  /**
   * For what must not happen twice, such as an execution: after its transaction the message is not handled again, also
   * if the work fails later or the function dies. Work without it is repeated then. Only `too_many_functions` takes it
   * back.
   */
  readonly onceIn: (tenant: TenantDatabase) => Once;
}

/** What the work gets besides a message of the platform itself. */
interface OfPlatform {
  readonly base: Base;
  /** As `onceIn`, in a transaction of the base database. */
  readonly once: Once;
}

export type Message<P> = Attempted<P> & OfOrganization;
export type PlatformMessage<P> = Attempted<P> & OfPlatform;

/**
 * `later`: the time has not come, and nothing was begun. The message comes back, after longer and longer pauses, and not
 * before so many seconds, of which 900 count at most.
 */
type Work<M> = (message: M) => Promise<"later" | { readonly later: number } | undefined> | Promise<void>;

/** The database of a message. `given` makes what only its kind of message gets. */
interface Place {
  readonly outbox: OutboxDatabase;
  readonly given: (claimed: Claimed, onBegun: () => void) => OfOrganization | OfPlatform;
}

/** Null if the messages of the organization are dropped. Raises `sandbox_refreshing`. */
const placeOfOrganization = async (organization: string): Promise<Place | null> => {
  const opened = await openWithState(organization);
  if (opened === null || opened.state.status === "deleting") return null;
  if (isGated(opened.state.status)) throw sandboxRefreshing();
  return {
    outbox: opened.database,
    given: (claimed, onBegun) => ({ ...opened, onceIn: (tenant) => onceForEntry(tenant, claimed, onBegun) }),
  };
};

const placeOfPlatform = async (name: string): Promise<Place | null> => {
  if (name !== BASE) throw new Error(`A message of the platform names the database ${name}.`);
  const [opened, outbox] = await Promise.all([base(), baseOutbox()]);
  return { outbox, given: (claimed, onBegun) => ({ base: opened, once: onceForEntry(outbox, claimed, onBegun) }) };
};

/**
 * What became of a message. Only `retry` lets SQS deliver it again. `unreadable`: at once, until it is a dead letter,
 * because only another release can read it.
 */
type Decision = "done" | "gone" | "failed" | "postponed" | "retry" | "unreadable" | "busy";

/** Faults that say that the time has not come. Waiting is no failure of the message. */
const notYet: ReadonlySet<string> = new Set(["too_many_functions", "sandbox_refreshing"]);
/** Nothing waits longer. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
const FIRST_DELAY_S = 5;
const LONGEST_DELAY_S = 300;
/** Of SQS. */
const MOST_DELAY_S = 900;
/** Milliseconds that the rest of a batch leaves to its own end. */
const RESERVE_MS = 2_000;

/** Doubles with each time, and is shortened at random, so that what waits together does not come back together. */
const delayOf = (postponed: number): number => {
  const most = Math.min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** Math.min(postponed, 10));
  return randomInt(Math.ceil(most / 2), most + 1);
};

interface Waiting {
  /** How often it has waited. */
  readonly postponed?: number;
  /** Seconds at least. */
  readonly least?: number;
  readonly group?: string;
}

/** Sends another message for the entry, so that waiting does not count as an attempt of this one. */
const sendLater = async (
  queue: string,
  { organization, id }: Body,
  { postponed = 0, least = 0, group = organization }: Waiting = {},
) => {
  const later = { id, body: JSON.stringify({ organization, id }), group };
  const delaySeconds = Math.min(MOST_DELAY_S, Math.max(0, Math.ceil(least)) + delayOf(postponed));
  const accepted = await sendMessages(queue, [{ ...later, delaySeconds }]);
  if (accepted.length === 0) throw new Error(`SQS has not accepted the message ${id} again.`);
};

const failureOf = ({ code, message }: Fault) => ({ code, message });

interface Attempt<P> {
  readonly queue: string;
  readonly at: Body;
  readonly open: (name: string) => Promise<Place | null>;
  readonly read: (payload: string) => P;
  readonly work: Work<Attempted<P> & (OfOrganization | OfPlatform)>;
  readonly run: Run;
}

interface Taken {
  readonly queue: string;
  readonly at: Body;
  readonly outbox: OutboxDatabase;
  readonly claimed: Claimed;
}

const mayWait = ({ created }: Claimed): boolean => nowMillis() - created.getTime() < LONGEST_WAIT_MS;

const postpone = async ({ queue, at, outbox, claimed }: Taken, least = 0): Promise<Decision> => {
  const { postponed, group } = claimed;
  await sendLater(queue, at, { postponed, least, ...(group !== undefined && { group }) });
  await postponeEntry(outbox, claimed);
  return "postponed";
};

/** Decides about a failed attempt, and stores the decision. */
const decide = async (taken: Taken, fault: Fault, hasBegun: boolean): Promise<Decision> => {
  const { outbox, claimed } = taken;
  // With too many functions, what was begun has not run.
  const isEarly = notYet.has(fault.code) && (!hasBegun || fault.code === "too_many_functions");
  if (isEarly && mayWait(claimed)) return postpone(taken);
  if (!hasBegun && (fault.retry || fault.code === "internal_error")) {
    await releaseEntry(outbox, claimed, failureOf(fault));
    return fault.code === "unreadable_webhook" ? "unreadable" : "retry";
  }
  await failEntry(outbox, claimed, failureOf(fault));
  return "failed";
};

const attemptEntry = async <P>({ queue, at, open, read, work, run }: Attempt<P>): Promise<Decision> => {
  const place = await open(at.organization);
  if (place === null) return "gone";
  const { outbox, given } = place;
  const claimed = await claimEntry(outbox, at.id, run.remaining());
  if (typeof claimed === "string") return claimed;
  const taken = { queue, at, outbox, claimed };
  const { id, attempt, postponed, payload } = claimed;
  let hasBegun = claimed.begun !== null;
  const onBegun = (): void => {
    hasBegun = true;
  };
  try {
    const outcome = await work({ ...run, id, attempt, postponed, payload: read(payload), ...given(claimed, onBegun) });
    if (outcome !== undefined) return await postpone(taken, outcome === "later" ? 0 : outcome.later);
  } catch (error) {
    const fault = toFault(error);
    log.warn({ queue, organization: at.organization, entry: id, code: fault.code, err: error }, "a message failed");
    return decide(taken, fault, hasBegun);
  }
  await completeEntry(outbox, claimed);
  return "done";
};

const consumeOne = async <P>(attempt: Attempt<P>): Promise<Decision> => {
  try {
    return await attemptEntry(attempt);
  } catch (error) {
    // Before the claim, or behind the gate of a sandbox, where nothing can be stored.
    if (!notYet.has(toFault(error).code)) throw error;
    await sendLater(attempt.queue, attempt.at);
    return "postponed";
  }
};

/**
 * Makes a Lambda for a queue of a contract and its work. SQS delivers at least once and in any order; the work of an
 * entry runs once: it is claimed before, and one whose consumer died after it had begun (`onceIn`) is recorded as
 * interrupted. A fault with `retry` and an unknown error let SQS deliver the message again, in the end to the
 * dead-letter queue. A fault without it is recorded, and the message is acknowledged. The messages of a batch are
 * handled one after the other, so that the end of a function interrupts one at most.
 */
export function consume<P extends z.ZodType<object>>(
  contract: MessageContract & { readonly payload: P; readonly scope?: never },
): (work: Work<Message<z.output<P>>>) => Handler;
export function consume<P extends z.ZodType<object>>(
  contract: MessageContract & { readonly payload: P; readonly scope: "platform" },
): (work: Work<PlatformMessage<z.output<P>>>) => Handler;
export function consume<P extends z.ZodType<object>>(contract: MessageContract & { readonly payload: P }) {
  const { queue, scope, payload: schema } = contract;
  const open = scope === "platform" ? placeOfPlatform : placeOfOrganization;
  const read = (payload: string) => schema.parse(JSON.parse(payload));

  return (work: Work<Attempted<z.output<P>> & (OfOrganization | OfPlatform)>): Handler =>
    async (event, context) => {
      const remaining = () => context?.getRemainingTimeInMillis() ?? 900_000;
      const run: Run = { request_id: context?.awsRequestId, remaining };

      const handle = async ({ messageId, body: text }: SQSRecord): Promise<Decision> => {
        const start = elapsedMillis();
        const facts = { queue, message_id: messageId, request_id: run.request_id };
        if (remaining() < RESERVE_MS) return "retry";
        try {
          const at = envelope.parse(JSON.parse(text));
          const decision = await consumeOne({ queue, at, open, read, work, run });
          const ms = Math.round(elapsedMillis() - start);
          log.info({ ...facts, organization: at.organization, entry: at.id, decision, ms }, "message");
          return decision;
        } catch (error) {
          log.error({ ...facts, err: error }, "message");
          return "retry";
        }
      };

      const failures: { itemIdentifier: string }[] = [];
      for (const record of event.Records) {
        const decision = await handle(record);
        if (decision === "retry") await retryIn(queue, record, delayAfter(record));
        if (decision === "unreadable") await retryIn(queue, record, 0);
        if (decision === "retry" || decision === "unreadable" || decision === "busy")
          failures.push({ itemIdentifier: record.messageId });
      }
      return { batchItemFailures: failures };
    };
}
