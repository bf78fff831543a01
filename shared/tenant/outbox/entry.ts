import type { Collection } from "mongodb";
import type * as z from "zod";
import type { MessageContract } from "#contracts/queue";
import type { ScheduleDefinition } from "#shared/foundation/aws/scheduler";
import type { Copy, CountedWrites } from "../counted-writes.ts";
import { OUTBOX_COLLECTION } from "../documents.ts";

/** A change of a schedule of EventBridge Scheduler. */
export type ScheduleChange =
  | ({ readonly action: "put" } & ScheduleDefinition)
  | { readonly action: "remove"; readonly name: string; readonly revision: string };

/** A message that is sent after the commit of a transaction. */
export interface MessageEntry {
  readonly queue: string;
  readonly payload: object;
  /** As `OutboxEntry.group`. */
  readonly group?: string;
}

/** What is sent after the commit of a transaction. */
export type NewEntry = MessageEntry | { readonly schedule: ScheduleChange };

/** An entry for the queue of a contract. */
export const messageFor = <C extends MessageContract>(
  contract: C,
  payload: z.input<C["payload"]> & object,
  group?: string,
): MessageEntry => ({
  queue: contract.queue,
  payload,
  ...(group !== undefined && { group }),
});

/**
 * An entry of the outbox of an organization, or of the base database. It is deleted when its work is done, so that
 * another delivery of its message finds nothing to do.
 */
export interface OutboxEntry {
  /** A UUIDv7. */
  _id: string;
  /** The queue of a message, and its payload as JSON. */
  queue?: string;
  payload?: string;
  /**
   * Whose message it is, for the fairness of the queue: 1 to 128 letters, digits and signs. By default the database.
   */
  group?: string;
  /** A change of a schedule, as JSON, and the name of the schedule. */
  schedule?: string;
  schedule_name?: string;
  created: Date;
  /** `pending`: not sent, or nobody knows. `sent`: SQS has it. `running`: a consumer or a sender works on it. */
  status: "pending" | "sent" | "running" | "failed";
  /** How often a consumer has begun to work on it. */
  attempts: number;
  /** How often it was sent again because its time had not come. */
  postponed?: number;
  /** Who works on it, and when they will certainly have ended. */
  lease?: { id: string; until: Date };
  /** The ids of what a consumer has begun. Then it is not handled again. */
  begun?: string[];
  /** Why the last attempt failed: the code of a fault. */
  failure?: { code: string; message: string; at: Date };
  /** Of a failed one: when MongoDB deletes it. */
  expires_at?: Date;
}

/** The database of an organization, or the base database, as far as the outbox needs it. */
export type OutboxDatabase = Pick<Copy, "organization_id"> & Pick<CountedWrites, "collection">;

export const outboxOf = ({ collection }: OutboxDatabase): Collection<OutboxEntry> =>
  collection<OutboxEntry>(OUTBOX_COLLECTION);
