import type { Issue } from "#shared/foundation/faults";
import type { Target } from "./target.ts";

export type WriteOperation = "create" | "update" | "delete";

/** Records by id, as JSON, with what the writer may read of them. */
export type RecordMap = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The records of one write. */
export interface WriteMaps {
  readonly target: Target;
  readonly operation: WriteOperation;
  /** As they will be. Empty for deletes. */
  readonly new_map: RecordMap;
  /** As they are stored. Empty for creates. */
  readonly old_map: RecordMap;
  /** The path of a record in the request; of all of them without an id. */
  readonly at: (id?: string) => Issue["loc"];
}

/**
 * Ties together what belongs to the transaction of one write: the buffer of what its sync triggers write, and the ids
 * of the writes within each other, outermost first.
 */
export interface WriteScope {
  readonly buffer: string;
  readonly writes: readonly string[];
}

/** A message for the outbox. */
export interface QueuedMessage {
  readonly queue: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Runs before a write is carried out. It may change the records. */
export interface BeforeHook {
  /** For messages. */
  readonly name: string;
  /** `new_map` as the hook leaves it. Raises `validation_failed` if it refuses the write or fails. */
  run(maps: WriteMaps, scope: WriteScope): Promise<RecordMap>;
}

/** What the writes of one object set off, by one operation. */
export interface ObjectHooks {
  readonly before: readonly BeforeHook[];
  /** Run before the commit, with the records as they will be. Raise `validation_failed`. */
  readonly after: readonly ((maps: WriteMaps, scope: WriteScope) => Promise<void>)[];
  /** What the transaction of the write adds to the outbox; null if nothing. */
  readonly queued: ((maps: WriteMaps) => readonly QueuedMessage[]) | null;
}

/** What writes of records set off in the rooms above: triggers and automations. */
export interface RecordHooks {
  /** Of the write whose sync trigger writes. Its writes are buffered for that transaction. Null for all others. */
  readonly outer: WriteScope | null;
  /** Null if nothing is set off. It costs no command for most objects, because the answer is cached. */
  of(target: Target, operation: WriteOperation): Promise<ObjectHooks | null>;
}
