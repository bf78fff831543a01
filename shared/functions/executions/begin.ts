import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { WriteScope } from "#shared/data/records/records";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  EXECUTION_SLOTS_COLLECTION,
  giveSlotBack,
  markBackgroundWork,
  type Once,
  type Tenant,
  takeSlot,
} from "#shared/tenant/tenant";
import type { Origin } from "../outcome.ts";
import { type DefinitionReference, type Execution, executionsOf } from "./execution.ts";
import { executionLimits } from "./limits.ts";
import { loggable } from "./log-record.ts";
import { issueToken } from "./token.ts";

/** What is to be executed. */
export interface Beginning {
  readonly kind: Execution["kind"];
  /** In the path of errors and in the log: the file name. */
  readonly name: string;
  readonly related_to: DefinitionReference | null;
  readonly inputs: unknown;
  /** The time-out of what runs. It ends by the deadline of its origin in any case. */
  readonly milliseconds: number;
  /** Of a sync trigger: the write that it belongs to. */
  readonly write?: WriteScope;
}

export interface Begun {
  readonly execution: Execution;
  /** The capability token. Only its hash is stored. */
  readonly token: string;
}

const limit = (type: string, msg: string): Fault => new Fault("execution_limit", { message: msg, cause: type });

/** Raises `execution_limit`. */
const chainOf = ({ name }: Beginning, { parent, chain }: Origin, id: string) => {
  const before = parent ?? chain;
  const path = [...(before?.path ?? []), name];
  const depth = (before?.depth ?? 0) + 1;
  if (depth <= executionLimits.depth) return { path, depth, root: parent?.root ?? id };
  throw limit("depth", `Executions may be ${executionLimits.depth} deep. This one is deeper: ${path.join(" → ")}.`);
};

const deadlineOf = ({ milliseconds }: Beginning, { deadline, parent }: Origin): Date => {
  const at = nowMillis();
  const end = Math.min(at + milliseconds, deadline - (parent === undefined ? 0 : executionLimits.nestedMargin));
  if (end - at >= executionLimits.leastMilliseconds) return new Date(end);
  throw limit("time", "There is no time left to start another execution.");
};

const documentOf = (
  tenant: Tenant,
  beginning: Beginning,
  origin: Origin,
  { keyed, id = uuidv7() }: { readonly keyed: boolean; readonly id?: string },
): Begun => {
  const { caller, organization_id, request_id } = tenant;
  const chain = chainOf(beginning, origin, id);
  const deadline = deadlineOf(beginning, origin);
  const { token, hash } = issueToken(organization_id, id);
  const inputs = loggable(beginning.inputs);
  const write = beginning.write ?? origin.parent?.write;
  const execution: Execution = {
    _id: id,
    kind: beginning.kind,
    name: beginning.name,
    related_to: beginning.related_to,
    place: origin.place,
    token_hash: hash,
    user: { id: caller.id, name: caller.name, email: caller.email },
    client_id: caller.client_id,
    scope: caller.scope,
    responsible: caller.responsible,
    request_id,
    ...chain,
    calls: 0,
    buffered: write !== undefined,
    ...(write && { write }),
    deadline,
    lease_until: new Date(deadline.getTime() + executionLimits.afterDeadline),
    started: now(),
    inputs: inputs.shown,
    replayable: inputs.isWhole,
    status: "running",
    keyed,
  };
  return { execution, token };
};

const slots = { collection: EXECUTION_SLOTS_COLLECTION, kind: "roots" };

const isRoot = ({ _id, root }: Execution): boolean => _id === root;

/** Raises `too_many_functions`. */
const enter = async (tenant: Tenant, execution: Execution): Promise<void> => {
  if (!isRoot(execution)) return;
  const slot = { id: execution._id, until: execution.lease_until };
  const { roots } = executionLimits;
  if (await takeSlot(tenant, slots, slot, { most: roots, now: now() })) return;
  throw new Fault("too_many_functions", {
    message: `${roots} functions of your organization are running; try again when one has ended.`,
    headers: { "retry-after": "1" },
  });
};

/** Makes room for another execution of the organization. */
export const leave = async (tenant: Pick<Tenant, "collection">, execution: Execution): Promise<void> => {
  if (isRoot(execution)) await giveSlotBack(tenant, slots, execution._id);
};

/** Notes that nothing has run, so that a repetition of the request begins the execution again. */
export const unstart = async (tenant: Tenant, { _id }: Execution): Promise<void> => {
  const expires_at = new Date(nowMillis() + executionLimits.keptMilliseconds);
  const changes = { $set: { status: "unstarted" as const, expires_at }, $unset: { token_hash: "" } } as const;
  await executionsOf(tenant).updateOne({ _id, status: "running" }, changes);
};

/** The execution of an earlier request, if nothing of it has run. Only one of many repetitions gets it. */
const beginAgain = async (tenant: Tenant, beginning: Beginning, origin: Origin, id: string): Promise<Begun | null> => {
  const waiting = { _id: id, status: "unstarted" } as const;
  if ((await executionsOf(tenant).findOne(waiting, { projection: { _id: 1 } })) === null) return null;
  const begun = documentOf(tenant, beginning, origin, { keyed: true, id });
  await enter(tenant, begun.execution);
  const { _id, ...fields } = begun.execution;
  const { matchedCount } = await executionsOf(tenant).updateOne(waiting, { $set: fields, $unset: { expires_at: "" } });
  // The slot has the id of the execution, so that it stays for the one that has begun it.
  return matchedCount === 1 ? begun : null;
};

/**
 * Notes an execution before it starts. For a repeated request it gives the id of the earlier execution instead. Raises
 * `execution_limit` and `too_many_functions`.
 */
export const beginExecution = async (
  tenant: Tenant,
  beginning: Beginning,
  origin: Origin,
  once?: Once,
): Promise<Begun | { readonly earlier: string }> => {
  const keyed = once?.isKeyed === true;
  const begun = documentOf(tenant, beginning, origin, { keyed });
  const { execution } = begun;
  const prepare = async () => {
    await Promise.all([enter(tenant, execution), markBackgroundWork(tenant.organization_id, "executions")]);
  };
  const insert = (session?: ClientSession) =>
    executionsOf(tenant).insertOne(execution, session === undefined ? {} : { session });
  try {
    if (!keyed || once === undefined) {
      await prepare();
      await insert();
      return begun;
    }
    return await once.write<Begun | { readonly earlier: string }>(
      async () => {
        await prepare();
        return async (session) => {
          await insert(session);
          return { ids: [execution._id], value: begun };
        };
      },
      async ([id = ""]) => (await beginAgain(tenant, beginning, origin, id)) ?? { earlier: id },
    );
  } catch (error) {
    await leave(tenant, execution);
    throw error;
  }
};
