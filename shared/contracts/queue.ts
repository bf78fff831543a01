import type * as z from "zod";

/**
 * The messages of one queue. The queue and its function are `tenantry-<stage>-<queue>`. What is sent over SQS is only
 * the id of an outbox entry, and the payload stays in the database of its organization, or in the base database.
 */
export interface MessageContract {
  /** In kebab-case. Names the handler: `functions/queue/<queue>.ts`. */
  readonly queue: string;
  readonly summary: string;
  /**
   * `platform`: its messages belong to no organization, and their entries are in the base database. `aws`: another
   * service of AWS sends its messages, which have no entry: SQS carries the payload itself.
   */
  readonly scope?: "platform" | "aws";
  /** At most 1 MiB of JSON. */
  readonly payload: z.ZodType<object>;
}

/** Keeps the literal types, so that handlers are checked against the declaration. */
export const defineMessage = <const C extends MessageContract>(contract: C): C => contract;

/** The source file of a queue's handler. */
export const messageHandler = ({ queue }: MessageContract): string => `functions/queue/${queue}.ts`;
