import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { Refusal } from "../refusal.ts";
import { Halted } from "./halt.ts";
import { runtimeError } from "./state-error.ts";

const header = z.strictObject({
  machineArn: z.string(),
  machineName: z.string(),
  name: z.string(),
  input: z.string(),
  startedAt: z.number(),
  /** Of the start: a running execution keeps its definition and role when the state machine is changed. */
  definition: z.string(),
  roleArn: z.string(),
});
/** The facts of an execution that never change. */
export type Header = z.output<typeof header>;

const entry = z.strictObject({
  /** What happened where, such as `2.0.done`: the end of the first attempt of the third state. */
  key: z.string(),
  at: z.number(),
  /** The number of the history event. Entries without one are not in the history. */
  event: z.number().optional(),
  previous: z.number().optional(),
  type: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** What the continuation after a restart needs besides. */
  data: z.unknown().optional(),
});
export type Entry = z.output<typeof entry>;

export type NewEntry = Omit<Entry, "at" | "event">;

/** AWS ends an execution at this number of events. */
const mostEvents = 25_000;

export const endKey = "end";

/** The header and the complete entries of a file, and their length in bytes. A kill may have cut off the last line. */
export const readJournal = (file: string): { header: Header; entries: Entry[]; bytes: number } | undefined => {
  const text = readFileSync(file, "utf8");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  const [first, ...rest] = complete.split("\n").slice(0, -1);
  if (first === undefined) return undefined;
  try {
    return {
      header: header.parse(JSON.parse(first)),
      entries: rest.map((line) => entry.parse(JSON.parse(line))),
      bytes: Buffer.byteLength(complete),
    };
  } catch {
    throw new Refusal(`The file ${file} is damaged; remove it, or begin anew with npm start -- --reset.`);
  }
};

/**
 * The journal of one execution: a file to which each step is appended before the next one begins. Its entries are the
 * history, and what a continuation after a restart reads instead of doing a step again.
 */
export const openJournal = (file: string, now: () => number, created?: Header) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const known = created === undefined ? readJournal(file) : undefined;
  const descriptor = openSync(file, created === undefined ? "a" : "wx", 0o600);
  if (created !== undefined) writeSync(descriptor, `${JSON.stringify(created)}\n`);
  else ftruncateSync(descriptor, known?.bytes ?? 0);
  const entries = new Map(known?.entries.map((one) => [one.key, one]));
  let events = known?.entries.filter((one) => one.event !== undefined).length ?? 0;
  let closed = false;
  return {
    find: (key: string): Entry | undefined => entries.get(key),
    /** @throws Halted after the end of the execution and after `close` */
    add: (one: NewEntry): Entry => {
      if (closed || entries.has(endKey)) throw new Halted();
      if (one.type !== undefined && events >= mostEvents - 1 && one.key !== endKey) {
        throw runtimeError(`The execution reached the maximum number of history events (${mostEvents}).`);
      }
      const added: Entry = { ...one, at: now(), ...(one.type !== undefined && { event: ++events }) };
      writeSync(descriptor, `${JSON.stringify(added)}\n`);
      entries.set(one.key, added);
      return added;
    },
    close: (): void => {
      if (!closed) closeSync(descriptor);
      closed = true;
    },
  };
};

export type Journal = ReturnType<typeof openJournal>;
