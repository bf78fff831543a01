import { randomInt } from "node:crypto";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import type { MessageContract } from "#contracts/queue";
import { deliverAgainIn, sendMessages } from "#shared/foundation/aws/sqs";
import { elapsedMillis, nowMillis } from "#shared/foundation/clock";
import type { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import {
  type Claimed,
  claimEntry,
  completeEntry,
  failEntry,
  isGated,
  type Once,
  type OrganizationState,
  onceForEntry,
  openWithState,
  postponeEntry,
  releaseEntry,
  sandboxRefreshing,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { toFault } from "../http/problem.ts";
import type { Run } from "../invocation.ts";

/** What SQS carries. */
const envelope = z.object({ organization: z.string(), id: z.string() });
type Body = z.output<typeof envelope>;

export interface Message<P> extends Run {
  /** Of the outbox entry, a UUIDv7. The same for every attempt, so that it can be the id of what the work makes. */
  readonly id: string;
  /** 1 for the first one. */
  readonly attempt: number;
  readonly payload: P;
  readonly database: TenantDatabase;
  readonly state: OrganizationState;
  /**
   * For what must not happen twice, such as an execution: after its transaction the message is not handled again, also
   * if the work fails later or the function dies. Work without it is repeated then. Only `too_many_functions` takes it
   * back.
   */
  readonly onceIn: (tenant: TenantDatabase) => Once;
}

type Work<P> = (message: Message<P>) => Promise<void>;

/** What became of a message. Only `retry` lets SQS deliver it again. */
type Decision = "done" | "gone" | "failed" | "postponed" | "retry" | "busy";

/** Faults that say that the time has not come. Waiting is no failure of the message. */
const notYet: ReadonlySet<string> = new Set(["too_many_functions", "sandbox_refreshing"]);
/** Nothing waits longer. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
const FIRST_DELAY_S = 5;
const LONGEST_DELAY_S = 300;
/** Milliseconds that the rest of a batch leaves to its own end. */
const RESERVE_MS = 2_000;

/** Doubles with each time, and is shortened at random, so that what waits together does not come back together. */
const delayOf = (postponed: number): number => {
  const most = Math.min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** Math.min(postponed, 10));
  return randomInt(Math.ceil(most / 2), most + 1);
};

/** Sends another message for the entry, so that waiting does not count as an attempt of this one. */
const sendLater = async (queue: string, { organization, id }: Body, postponed: number): Promise<void> => {
  const later = { id, body: JSON.stringify({ organization, id }), group: organization };
  const accepted = await sendMessages(queue, [{ ...later, delaySeconds: delayOf(postponed) }]);
  if (accepted.length === 0) throw new Error(`SQS has not accepted the message ${id} again.`);
};

/** Seconds before a failed attempt is repeated, the first one and the following ones. Then it is a dead letter. */
const RETRY_S = [10, 30, 90, 270];

/** Without it the message would come back after the visibility timeout of the queue, which is long. */
const retrySoon = async (queue: string, { receiptHandle, attributes }: SQSRecord): Promise<void> => {
  const received = Number(attributes.ApproximateReceiveCount);
  const seconds = RETRY_S[received - 1] ?? RETRY_S.at(-1) ?? 0;
  try {
    await deliverAgainIn(queue, receiptHandle, seconds);
  } catch (error) {
    log.warn({ queue, err: error }, "a message comes back later than it should");
  }
};

const failureOf = ({ code, message }: Fault) => ({ code, message });

interface Failed {
  readonly queue: string;
  readonly at: Body;
  readonly database: TenantDatabase;
  readonly claimed: Claimed;
  readonly hasBegun: boolean;
}

/** Decides about a failed attempt, and stores the decision. */
const decide = async ({ queue, at, database, claimed, hasBegun }: Failed, fault: Fault): Promise<Decision> => {
  // With too many functions, what was begun has not run.
  const mayWait = notYet.has(fault.code) && (!hasBegun || fault.code === "too_many_functions");
  if (mayWait && nowMillis() - claimed.created.getTime() < LONGEST_WAIT_MS) {
    await sendLater(queue, at, claimed.postponed);
    await postponeEntry(database, claimed);
    return "postponed";
  }
  if (!hasBegun && (fault.retry || fault.code === "internal_error")) {
    await releaseEntry(database, claimed, failureOf(fault));
    return "retry";
  }
  await failEntry(database, claimed, failureOf(fault));
  return "failed";
};

interface Attempt<P> {
  readonly queue: string;
  readonly at: Body;
  readonly read: (payload: string) => P;
  readonly work: Work<P>;
  readonly run: Run;
}

const attemptEntry = async <P>({ queue, at, read, work, run }: Attempt<P>): Promise<Decision> => {
  const opened = await openWithState(at.organization);
  if (opened === null || opened.state.status === "deleting") return "gone";
  if (isGated(opened.state.status)) throw sandboxRefreshing();
  const { database, state } = opened;
  const claimed = await claimEntry(database, at.id, run.remaining());
  if (typeof claimed === "string") return claimed;
  const { id, attempt, payload } = claimed;
  let hasBegun = claimed.begun !== null;
  const onBegun = (): void => {
    hasBegun = true;
  };
  const onceIn = (tenant: TenantDatabase): Once => onceForEntry(tenant, claimed, onBegun);
  try {
    await work({ ...run, id, attempt, payload: read(payload), database, state, onceIn });
  } catch (error) {
    const fault = toFault(error);
    log.warn({ queue, organization: at.organization, entry: id, code: fault.code, err: error }, "a message failed");
    return decide({ queue, at, database, claimed, hasBegun }, fault);
  }
  await completeEntry(database, claimed);
  return "done";
};

const consumeOne = async <P>(attempt: Attempt<P>): Promise<Decision> => {
  try {
    return await attemptEntry(attempt);
  } catch (error) {
    // Before the claim, or behind the gate of a sandbox, where nothing can be stored.
    if (!notYet.has(toFault(error).code)) throw error;
    await sendLater(attempt.queue, attempt.at, 0);
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
export const consume =
  <P extends z.ZodType<object>>(contract: MessageContract & { payload: P }) =>
  (work: Work<z.output<P>>) =>
  async (event: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const { queue, payload: schema } = contract;
    const remaining = () => context?.getRemainingTimeInMillis() ?? 900_000;
    const run: Run = { request_id: context?.awsRequestId, remaining };
    const read = (payload: string) => schema.parse(JSON.parse(payload));

    const handle = async ({ messageId, body: text }: SQSRecord): Promise<Decision> => {
      const start = elapsedMillis();
      const facts = { queue, message_id: messageId, request_id: run.request_id };
      if (remaining() < RESERVE_MS) return "retry";
      try {
        const at = envelope.parse(JSON.parse(text));
        const decision = await consumeOne({ queue, at, read, work, run });
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
      if (decision === "retry") await retrySoon(queue, record);
      if (decision === "retry" || decision === "busy") failures.push({ itemIdentifier: record.messageId });
    }
    return { batchItemFailures: failures };
  };
