import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { arn } from "../account.ts";
import { atTime, type Clock } from "../clock.ts";
import { parseDefinition } from "./definition.ts";
import { Halted } from "./halt.ts";
import { type Entry, endKey, type Header, openJournal, readJournal } from "./journal.ts";
import { runBranch } from "./run.ts";
import { once, type Scope, type TaskCall } from "./scope.ts";
import { StateError } from "./state-error.ts";

export const statuses = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"] as const;
const ending = z.object({
  status: z.enum(statuses),
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
});
type Ending = z.output<typeof ending>;

export interface Execution extends Header {
  readonly arn: string;
  readonly stoppedAt: number | undefined;
  readonly ending: Ending;
}

/** AWS forgets an execution 90 days after its end, and then its name may be used again. */
const keptFor = 90 * 24 * 60 * 60 * 1000;

const eventOf: Readonly<Record<Ending["status"], string>> = {
  RUNNING: "",
  SUCCEEDED: "ExecutionSucceeded",
  FAILED: "ExecutionFailed",
  TIMED_OUT: "ExecutionTimedOut",
  ABORTED: "ExecutionAborted",
};

const running: Ending = { status: "RUNNING" };

interface Options {
  readonly clock: Clock;
  readonly directory: string;
  /** A Lambda task, in the name of a role. */
  readonly invoke: (call: TaskCall, by: { readonly roleArn: string; readonly session: string }) => Promise<unknown>;
}

/** The executions of all state machines: in memory what is running and how the others ended, the rest in files. */
export const executions = ({ clock, directory, invoke }: Options) => {
  const known = new Map<string, Execution>();
  const live = new Map<string, { end: (how: Ending) => void; suspend: () => void }>();

  const fileOf = (executionArn: string): string =>
    join(directory, `${createHash("sha256").update(executionArn).digest("hex").slice(0, 40)}.jsonl`);

  /** Runs an execution from where its journal ends. */
  const drive = (executionArn: string, head: Header, created: boolean): void => {
    const journal = openJournal(fileOf(executionArn), clock.now, created ? head : undefined);
    const definition = parseDefinition(head.definition);
    const halt = new AbortController();
    let cancel = (): void => undefined;
    const { machineArn, machineName, name, input, startedAt, roleArn } = head;
    const scope: Scope = {
      clock,
      journal,
      invoke: (call) => invoke(call, { roleArn, session: name }),
      prefix: "",
      signal: halt.signal,
      context: {
        Execution: {
          Id: executionArn,
          Input: JSON.parse(input),
          Name: name,
          RoleArn: roleArn,
          StartTime: new Date(startedAt).toISOString(),
          RedriveCount: 0,
        },
        StateMachine: { Id: machineArn, Name: machineName },
      },
      last: 0,
    };
    const suspend = (): void => {
      cancel();
      live.delete(executionArn);
      halt.abort();
      journal.close();
    };
    const end = (how: Ending): void => {
      const { status, ...details } = how;
      const { at } = journal.add({ key: endKey, type: eventOf[status], details, data: how, previous: scope.last });
      known.set(executionArn, { ...head, arn: executionArn, stoppedAt: at, ending: how });
      suspend();
    };
    known.set(executionArn, { ...head, arn: executionArn, stoppedAt: undefined, ending: running });
    live.set(executionArn, { end, suspend });
    once(scope, { key: "start", type: "ExecutionStarted", details: { input, roleArn } });
    if (definition.TimeoutSeconds !== undefined) {
      cancel = atTime(clock, startedAt + definition.TimeoutSeconds * 1000, () => end({ status: "TIMED_OUT" }));
    }
    const run = async (): Promise<void> => {
      try {
        const output = await runBranch(definition, JSON.parse(input), scope);
        end({ status: "SUCCEEDED", output: JSON.stringify(output) });
      } catch (error) {
        if (error instanceof Halted || halt.signal.aborted) return;
        const expected = error instanceof StateError;
        const cause = expected ? error.reason : String(error);
        end({
          status: "FAILED",
          error: expected ? error.error : "States.Runtime",
          ...(cause !== undefined && { cause }),
        });
      }
    };
    if (live.has(executionArn)) void run();
  };

  const load = (name: string): void => {
    const file = join(directory, name);
    const read = readJournal(file);
    if (read === undefined) {
      // The header was not written completely, so the start was never answered.
      rmSync(file);
      return;
    }
    const executionArn = executionArnOf(read.header.machineName, read.header.name);
    const end = read.entries.find((one) => one.key === endKey);
    if (end === undefined) drive(executionArn, read.header, false);
    else if (end.at + keptFor < clock.now()) rmSync(file);
    else {
      known.set(executionArn, {
        ...read.header,
        arn: executionArn,
        stoppedAt: end.at,
        ending: ending.parse(end.data),
      });
    }
  };

  return {
    /** Loads all executions, and continues those that were running. */
    resume: (): void => {
      if (!existsSync(directory)) return;
      for (const name of readdirSync(directory)) if (name.endsWith(".jsonl")) load(name);
    },
    find: (executionArn: string): Execution | undefined => known.get(executionArn),
    /** The last started first. */
    list: (machineArn: string): Execution[] =>
      [...known.values()]
        .filter((one) => one.machineArn === machineArn)
        .sort((one, other) => other.startedAt - one.startedAt),
    /** The execution with this name must not exist. */
    start: (head: Omit<Header, "startedAt">): Execution => {
      const executionArn = executionArnOf(head.machineName, head.name);
      drive(executionArn, { ...head, startedAt: clock.now() }, true);
      const started = known.get(executionArn);
      if (started === undefined) throw new Error(`The execution ${executionArn} was not started`);
      return started;
    },
    /** Nothing happens if the execution has ended. */
    stop: (executionArn: string, why: Pick<Ending, "error" | "cause">): void =>
      live.get(executionArn)?.end({ status: "ABORTED", ...why }),
    history: (executionArn: string): Entry[] =>
      readJournal(fileOf(executionArn))?.entries.filter((one) => one.event !== undefined) ?? [],
    /** Leaves the running executions to the next start. */
    suspend: (): void => {
      for (const one of [...live.values()]) one.suspend();
    },
  };
};

export type Executions = ReturnType<typeof executions>;

export const executionArnOf = (machine: string, name: string): string => arn("states", `execution:${machine}:${name}`);
