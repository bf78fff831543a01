import type { ClientSession, Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { Issue } from "#shared/foundation/faults";
import { addToOutbox, type BufferedWrite, type NewEntry, type Prepare, type Tenant } from "#shared/tenant/tenant";
import type { ApiRecord } from "../api-record.ts";
import type { ObjectHooks, RecordHooks, RecordMap, WriteMaps, WriteOperation, WriteScope } from "../hooks.ts";
import type { RecordChange } from "../recorded-changes.ts";
import type { Target } from "../target.ts";
import { type NewWrite, type WriteBuffer, writeBuffer } from "./buffer.ts";
import { type Follow, refuseStale, storeBuffered } from "./store-buffered.ts";

/** The hooks of one write, and the write that it belongs to. */
export interface ScopedHooks {
  readonly hooks: ObjectHooks | null;
  readonly outer: WriteScope | null;
}

/** Whether a write runs sync triggers or is written by one. Others take the short way. */
export const isScoped = ({ outer }: RecordHooks, own: ObjectHooks | null): boolean =>
  outer !== null || (own !== null && own.before.length + own.after.length > 0);

interface Writing {
  readonly operation: WriteOperation;
  readonly written: readonly RecordChange[];
  readonly apiRecord: (document: Document) => ApiRecord;
}

export type LocOfId = (id?: string) => Issue["loc"];

/** A record as JSON: what triggers get, and what their changes are compared with. */
export const jsonOf = (record: ApiRecord): Record<string, unknown> => JSON.parse(JSON.stringify(record));

const mapOf = (documents: readonly (Document | null)[], apiRecord: Writing["apiRecord"]): RecordMap =>
  Object.fromEntries(
    documents.flatMap((one) => (one === null ? [] : [[String(one._id), jsonOf(apiRecord(one))] as const])),
  );

export const mapsOf = (
  target: Target,
  { operation, written, apiRecord }: Writing,
  at: LocOfId = () => ["body"],
): WriteMaps => ({
  target,
  operation,
  new_map: mapOf(
    written.map(({ after }) => after),
    apiRecord,
  ),
  old_map: mapOf(
    written.map(({ before }) => before),
    apiRecord,
  ),
  at,
});

/** Adds what a write sets off later to the outbox, in its transaction. */
export const queueMessages = async (
  target: Target,
  hooks: ObjectHooks | null,
  writing: Writing,
  session: ClientSession,
): Promise<void> => {
  if (hooks?.queued != null) await addToOutbox(target.tenant, session, hooks.queued(mapsOf(target, writing)));
};

/** A write that is checked. */
export interface CheckedWrite {
  readonly target: Target;
  readonly write: Omit<NewWrite, "messages">;
  /** As the hooks see it. */
  readonly writing: Writing;
  readonly at: LocOfId;
  /** Stores it, with the paths of the request in its issues. */
  readonly store: (session: ClientSession) => Promise<Follow>;
}

/** What a write needs while it is checked. */
export interface Scope {
  readonly scope: WriteScope;
  readonly hooks: ObjectHooks | null;
  readonly buffer: WriteBuffer;
  /** Whether it is written by a sync trigger, so that earlier writes may wait in the buffer. */
  readonly isInner: boolean;
}

const openScope = (tenant: Tenant, { hooks, outer }: ScopedHooks): Scope => {
  const scope = { buffer: outer?.buffer ?? uuidv7(), writes: [...(outer?.writes ?? []), uuidv7()] };
  return { scope, hooks, buffer: writeBuffer(tenant, scope), isInner: outer !== null };
};

/** The buffered writes before and after the write itself. */
interface Others {
  readonly earlier: readonly BufferedWrite[];
  readonly later: readonly BufferedWrite[];
}

/**
 * Runs the after-triggers of a checked write, which are given the records as they will be. Gives the writes that wait
 * for its transaction; a write of a sync trigger waits itself.
 */
const runAfter = async ({ scope, hooks, buffer, isInner }: Scope, checked: CheckedWrite): Promise<Others> => {
  const { target, write, writing, at } = checked;
  const after = hooks?.after ?? [];
  const maps = mapsOf(target, writing, at);
  const messages = isInner && hooks?.queued != null ? hooks.queued(maps) : [];
  const waits = isInner || after.length > 0;
  const own = waits ? await buffer.add({ ...write, messages: JSON.stringify(messages) }, !isInner) : null;
  for (const run of after) await run(maps, scope);
  const all = isInner ? [] : (await buffer.read()).filter(({ _id }) => _id !== own?._id);
  const earlier = all.filter(({ _id }) => own === null || _id < own._id);
  return { earlier, later: all.slice(earlier.length) };
};

/** Stores a write with all that waits for its transaction. Raises `StaleWrite`. Gives what follows the commit. */
const storeAll = async (
  { hooks, buffer }: Scope,
  { target, write, writing, store }: CheckedWrite,
  { earlier, later }: Others,
  session: ClientSession,
): Promise<Follow> => {
  const { tenant } = target;
  await refuseStale(tenant, [...earlier, write, ...later], session);
  const before = await storeBuffered(tenant, earlier, session);
  const own = await store(session);
  const after = await storeBuffered(tenant, later, session);
  await queueMessages(target, hooks, writing, session);
  const messages = [...earlier, ...later].flatMap((one): NewEntry[] => JSON.parse(one.messages));
  if (messages.length > 0) await addToOutbox(tenant, session, messages);
  await buffer.clear(session);
  return async () => {
    for (const follow of [before, own, after]) await follow();
  };
};

/** Runs the transaction of a write. Gives its ids if it was committed before. */
export type Commit = (prepare: Prepare<undefined>) => Promise<readonly string[] | undefined>;

/** A write that is carried out, or waits for the transaction of the one that runs its trigger. */
export interface Outcome {
  /** Absent for a request that is repeated. */
  readonly checked?: CheckedWrite | undefined;
  /** The ids that a repeated request wrote before. */
  readonly committedBefore?: readonly string[] | undefined;
  readonly scope: Scope;
  /** The other writes of the same transaction that came after it. */
  readonly later: readonly BufferedWrite[];
}

/**
 * Checks a write, runs its triggers and commits it with everything they have written. If a record has changed since it
 * was checked, all of it is done again (docs/decisions/0042).
 */
export const carryOut = async (
  tenant: Tenant,
  scoped: ScopedHooks,
  check: (scope: Scope) => Promise<CheckedWrite>,
  commit: Commit,
): Promise<Outcome> => {
  const state: { scope: Scope; others: Others; checked?: CheckedWrite; follow?: Follow } = {
    scope: openScope(tenant, scoped),
    others: { earlier: [], later: [] },
  };
  const begin = async (): Promise<CheckedWrite> => {
    const checked = await check(state.scope);
    state.checked = checked;
    state.others = await runAfter(state.scope, checked);
    return checked;
  };
  try {
    if (state.scope.isInner) {
      return { checked: await begin(), scope: state.scope, later: [] };
    }
    let attempts = 0;
    const committedBefore = await commit(async () => {
      attempts += 1;
      if (attempts > 1) {
        await state.scope.buffer.drop();
        state.scope = openScope(tenant, scoped);
      }
      const checked = await begin();
      const ids = checked.write.records.map(({ id }) => id);
      return async (session) => {
        state.follow = await storeAll(state.scope, checked, state.others, session);
        return { ids, value: undefined };
      };
    });
    await state.follow?.();
    return { checked: state.checked, committedBefore, scope: state.scope, later: state.others.later };
  } catch (error) {
    await state.scope.buffer.drop();
    throw error;
  }
};
