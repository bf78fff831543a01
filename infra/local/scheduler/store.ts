import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { Refusal } from "../refusal.ts";

const target = z.object({
  Arn: z.string(),
  RoleArn: z.string(),
  Input: z.string(),
  RetryPolicy: z.object({ MaximumEventAgeInSeconds: z.number(), MaximumRetryAttempts: z.number() }),
  DeadLetterConfig: z.object({ Arn: z.string() }).optional(),
});

const stored = z.object({
  group: z.string(),
  name: z.string(),
  description: z.string().optional(),
  expression: z.string(),
  timeZone: z.string(),
  /** All times in milliseconds since the epoch. */
  start: z.number().optional(),
  end: z.number().optional(),
  state: z.enum(["ENABLED", "DISABLED"]),
  afterCompletion: z.enum(["NONE", "DELETE"]),
  target,
  token: z.string().optional(),
  created: z.number(),
  modified: z.number(),
  /** The time of the last run. */
  last: z.number().optional(),
});
export type StoredSchedule = z.output<typeof stored>;

const delivery = z.object({ id: z.string(), group: z.string(), name: z.string(), at: z.number(), target });
/** A run that has begun. It is kept until Lambda has done with it, so that a restart delivers it again. */
export type Delivery = z.output<typeof delivery>;

const entry = z.union([
  z.object({ put: stored }),
  z.object({ remove: z.string() }),
  z.object({ due: delivery }),
  z.object({ done: z.string() }),
]);
type Entry = z.output<typeof entry>;

export const keyOf = ({ group, name }: Pick<StoredSchedule, "group" | "name">): string => `${group}/${name}`;

/** Lines beyond those in use before the file is written anew. */
const SLACK = 10_000;

/** A kill may have cut off the last line, of a change that was not acknowledged. */
const readEntries = (file: string): Entry[] => {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  try {
    return complete
      .split("\n")
      .slice(0, -1)
      .map((line) => entry.parse(JSON.parse(line)));
  } catch {
    throw new Refusal(`The file ${file} is damaged; remove it, or begin anew with npm start -- --reset.`);
  }
};

/** Schedules and unfinished deliveries: in memory, and in a journal to which each change is appended at once. */
export const openStore = (file: string) => {
  const schedules = new Map<string, StoredSchedule>();
  const deliveries = new Map<string, Delivery>();
  const apply = (one: Entry): void => {
    if ("put" in one) schedules.set(keyOf(one.put), one.put);
    else if ("remove" in one) schedules.delete(one.remove);
    else if ("due" in one) deliveries.set(one.due.id, one.due);
    else deliveries.delete(one.done);
  };
  for (const one of readEntries(file)) apply(one);
  let descriptor: number | undefined;
  let lines = 0;

  const rewrite = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const all: Entry[] = [
      ...[...schedules.values()].map((put) => ({ put })),
      ...[...deliveries.values()].map((due) => ({ due })),
    ];
    writeFileSync(`${file}.new`, all.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    descriptor = openSync(file, "a", 0o600);
    lines = all.length;
  };
  rewrite();

  return {
    schedules: schedules as ReadonlyMap<string, StoredSchedule>,
    deliveries: deliveries as ReadonlyMap<string, Delivery>,
    /** Several changes at once: a kill leaves all of them or the first ones. After `close` nothing is changed. */
    write: (...changes: Entry[]): void => {
      if (descriptor === undefined) return;
      writeSync(descriptor, changes.map((one) => `${JSON.stringify(one)}\n`).join(""));
      for (const one of changes) apply(one);
      lines += changes.length;
      if (lines > 2 * (schedules.size + deliveries.size) + SLACK) rewrite();
    },
    close: (): void => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
};

export type Store = ReturnType<typeof openStore>;
