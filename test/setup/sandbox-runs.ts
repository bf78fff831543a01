import { setTimeout } from "node:timers/promises";
import type { Document, MongoClient } from "mongodb";
import { v7 as uuidv7 } from "uuid";

/** Invokes a Lambda of the platform. */
type Invoke = <T>(name: string, payload: unknown) => Promise<T>;

type Operation = "create" | "refresh" | "delete";

interface Run {
  readonly sandbox_id: string;
  readonly run_id: string;
}

interface Copied {
  readonly from: string;
  readonly to: string;
}

/** One invocation of a task. */
export interface Call {
  readonly step: string;
  readonly input: unknown;
}

type Registry = Document & { _id: string };

export const COPY_STEPS = [
  "register",
  "copy-configuration",
  "index-configuration",
  "settle-copies",
  "copy-users",
  "apply-safety",
  "switch-over",
  "enter-lists",
  "finish",
] as const;

export const DELETE_STEPS = [
  "register",
  "close",
  "leave-lists",
  "remove-belongings",
  "drop-database",
  "unregister",
] as const;

const stepsOf = (operation: Operation): readonly string[] => (operation === "delete" ? DELETE_STEPS : COPY_STEPS);

/** Runs the tasks of the state machine without it, so that a test stops it where it wants and repeats what it wants. */
export const sandboxRuns = (mongo: MongoClient, invoke: Invoke) => {
  const registry = mongo.db("base").collection<Registry>("organization");

  /** Takes the run that a request begins away from its execution, which then does nothing more. */
  const begin = async (sandbox_id: string, request: () => Promise<unknown>): Promise<Run> => {
    const before = (await registry.findOne({ _id: sandbox_id }))?.sandbox?.run?.id;
    const answered = request();
    const run_id = uuidv7();
    const lease_until = new Date(Date.now() + 3_600_000);
    const change = { $set: { "sandbox.run.id": run_id, "sandbox.run.lease_until": lease_until } };
    for (;;) {
      const found = await registry.findOne({ _id: sandbox_id });
      const id = found?.sandbox?.run?.id;
      if (id !== undefined && id !== before) {
        // The request may still be about to start the execution, which is harmless.
        const { matchedCount } = await registry.updateOne({ _id: sandbox_id, "sandbox.run.id": id }, change);
        if (matchedCount === 1) break;
      }
      await setTimeout(2);
    }
    await answered;
    return { sandbox_id, run_id };
  };

  const call = <T>({ step, input }: Call): Promise<T> =>
    invoke<T>(`sandbox-${step}`, { execution: "arn:driven-by-a-test", attempt: 0, input });

  /**
   * Runs the tasks in the order of the state machine, up to and including `last`. `perform` invokes a task, and gives its
   * result. The invocations that were made.
   */
  const drive = async (
    run: Run,
    operation: Operation,
    last: string = stepsOf(operation).at(-1) as string,
    perform: <T>(one: Call) => Promise<T> = call,
  ): Promise<Call[]> => {
    const made: Call[] = [];
    const one = <T>(step: string, more: object = {}): Promise<T> => {
      const made1 = { step, input: { ...run, ...more } };
      made.push(made1);
      return perform<T>(made1);
    };
    const steps = stepsOf(operation);
    const isOver = (step: string): boolean => steps.indexOf(step) > steps.indexOf(last);
    if (operation === "delete") {
      for (const step of DELETE_STEPS) if (!isOver(step)) await one(step);
      return made;
    }
    const { kinds, versions } = await one<{ kinds: string[]; versions: object }>("register");
    let copies: Copied[] = [];
    const eachKind = async (step: string, more: (index: number) => object): Promise<void> => {
      if (!isOver(step)) {
        copies = await Promise.all(kinds.map((kind, index) => one<Copied>(step, { kind, ...more(index) })));
      }
    };
    await eachKind("copy-configuration", () => ({}));
    await eachKind("index-configuration", (index) => ({ copy: copies[index] }));
    if (isOver("settle-copies")) return made;
    const settled = await one<{ copies: Copied[] }>("settle-copies", { copies, versions });
    if (isOver("copy-users")) return made;
    const users = await one<Copied>("copy-users");
    if (isOver("apply-safety")) return made;
    const safe = await one<{ copies: Copied[] }>("apply-safety", { copies: settled.copies, users });
    if (!isOver("switch-over")) await one("switch-over", { copies: safe.copies });
    if (!isOver("enter-lists")) await one("enter-lists");
    if (!isOver("finish")) await one("finish");
    return made;
  };

  /** As if so much time had passed that nobody works on the run any more. */
  const expire = (sandbox_id: string): Promise<unknown> =>
    registry.updateOne(
      { _id: sandbox_id, "sandbox.run": { $exists: true } },
      { $set: { "sandbox.run.lease_until": new Date(Date.now() - 1000) } },
    );

  const runOf = async (sandbox_id: string): Promise<Document | undefined> =>
    (await registry.findOne({ _id: sandbox_id }))?.sandbox?.run;

  /** Lets the scheduled job take up what was stopped, and waits until nothing runs on the sandbox. */
  const reconcile = async (sandbox_id: string): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      const before = await runOf(sandbox_id);
      await expire(sandbox_id);
      await invoke("reconcile-sandboxes", {});
      // A task that still runs has renewed the lease.
      if (before !== undefined && (await runOf(sandbox_id))?.id === before.id) continue;
      for (let turn = 0; turn < 1000; turn += 1) {
        if ((await runOf(sandbox_id)) === undefined) return;
        await setTimeout(25);
      }
    }
    throw new Error(`The run on ${sandbox_id} does not end.`);
  };

  return { begin, call, drive, expire, reconcile, sweep: () => invoke("sweep-sandboxes", {}) };
};
