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
import { type StoredMessage, storedMessage } from "./message.ts";

const delivery = z.strictObject({
  id: z.string(),
  receives: z.number(),
  visibleAt: z.number(),
  firstReceivedAt: z.number(),
  mapped: z.boolean(),
});

/** What has happened to the messages of a queue. One line each. */
const entry = z.union([
  z.strictObject({ sent: storedMessage }),
  z.strictObject({ received: delivery }),
  z.strictObject({ visible: z.strictObject({ id: z.string(), at: z.number() }) }),
  z.strictObject({ deleted: z.string() }),
  z.strictObject({ purged: z.literal(true) }),
]);
export type Entry = z.output<typeof entry>;

/** Lines of messages that are gone, before the file is written anew. */
const mostWaste = 20_000;

const replay = (messages: Map<string, StoredMessage>, one: Entry): void => {
  if ("sent" in one) messages.set(one.sent.id, one.sent);
  else if ("deleted" in one) messages.delete(one.deleted);
  else if ("purged" in one) messages.clear();
  else if ("received" in one) {
    const { id, ...changed } = one.received;
    const known = messages.get(id);
    if (known !== undefined) messages.set(id, { ...known, ...changed });
  } else {
    const known = messages.get(one.visible.id);
    if (known !== undefined) messages.set(known.id, { ...known, visibleAt: one.visible.at });
  }
};

/** The messages of a file, in the order of sending. A kill may have cut off the last line. */
const read = (file: string): Map<string, StoredMessage> => {
  const messages = new Map<string, StoredMessage>();
  if (!existsSync(file)) return messages;
  const text = readFileSync(file, "utf8");
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  try {
    for (const line of lines) if (line !== "") replay(messages, entry.parse(JSON.parse(line)));
  } catch {
    throw new Refusal(`The file ${file} is damaged; remove it, or begin anew with npm start -- --reset.`);
  }
  return messages;
};

const lineOf = (one: Entry): string => `${JSON.stringify(one)}\n`;

/**
 * The journal of one queue: a file to which each change is appended before it is acknowledged, so that a kill of the
 * process loses nothing. `live` gives the messages that exist.
 */
export const openJournal = (file: string, live: () => Iterable<StoredMessage>) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const messages = [...read(file).values()];
  let descriptor: number | undefined;
  let lines = 0;

  /** Writes the file anew, with the messages alone. */
  const rewrite = (all: Iterable<StoredMessage>): void => {
    const content = Array.from(all, (sent) => lineOf({ sent }));
    writeFileSync(`${file}.next`, content.join(""), { mode: 0o600 });
    if (descriptor !== undefined) closeSync(descriptor);
    renameSync(`${file}.next`, file);
    descriptor = openSync(file, "a", 0o600);
    lines = content.length;
  };
  rewrite(messages);

  return {
    /** The messages at the opening. */
    messages,
    add: (one: Entry, count: number): void => {
      if (descriptor === undefined) return;
      writeSync(descriptor, lineOf(one));
      lines += 1;
      if (lines > mostWaste + 4 * count) rewrite(live());
    },
    close: (): void => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
};
