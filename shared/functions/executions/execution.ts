import type { Collection } from "mongodb";
import type { WriteScope } from "#shared/data/records/records";
import { EXECUTION_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";
import type { ParentExecution, Place } from "../outcome.ts";

/** The record whose code runs. */
export interface DefinitionReference {
  readonly id: string;
  readonly schema: "function" | "record_trigger" | "automation";
  readonly name: string;
}

/**
 * One run of a function, a trigger or an automation that has not ended. `_id` is a UUIDv7 and becomes the id of its
 * `log` record. That of a request with an `Idempotency-Key` stays for a day after its end, with the outcome.
 */
export interface Execution {
  readonly _id: string;
  readonly kind: "function" | "trigger" | "automation";
  readonly name: string;
  /** Null for code that is not stored. */
  readonly related_to: DefinitionReference | null;
  readonly place: Place;
  /** The SHA-256 of the capability token. Absent for automations, and after the end. */
  readonly token_hash?: string;
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly client_id: string | null;
  readonly scope: string;
  readonly responsible: string | null;
  readonly request_id: string;
  readonly root: string;
  readonly depth: number;
  readonly path: readonly string[];
  /** Of a root: the context calls of the whole chain. */
  readonly calls: number;
  /** Whether its writes wait for the transaction of the record that set off a trigger, and that write. */
  readonly buffered: boolean;
  readonly write?: WriteScope;
  readonly deadline: Date;
  /** When whoever runs it has certainly ended. */
  readonly lease_until: Date;
  readonly started: Date;
  /** As in the log record. */
  readonly inputs: unknown;
  readonly replayable: boolean;
  /**
   * `waiting`: an automation in a delay, which nobody runs until it is over. `unstarted`: there was no room to run it,
   * and a repetition of its request may begin it again.
   */
  readonly status: "running" | "waiting" | "completed" | "failed" | "unstarted";
  /** Of a running automation: the node that is being executed, and the log lines so far. */
  readonly progress?: { readonly node: string; readonly lines: readonly object[] };
  /** Whether a request with an `Idempotency-Key` began it. */
  readonly keyed: boolean;
  /** Of an ended one: the outcome as JSON, and when MongoDB deletes it. */
  readonly outcome?: string;
  readonly expires_at?: Date;
}

export const executionsOf = ({ collection }: Pick<TenantDatabase, "collection">): Collection<Execution> =>
  collection<Execution>(EXECUTION_COLLECTION);

/** What an execution hands on to those that it starts. */
export const parentOf = ({ _id, root, depth, path, buffered, write }: Execution): ParentExecution => ({
  id: _id,
  root,
  depth,
  path,
  buffered,
  ...(write && { write }),
});
