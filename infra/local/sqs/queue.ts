import { randomUUID } from "node:crypto";
import { atTime, type Clock } from "../clock.ts";
import { fairOrder } from "./fair-order.ts";
import { type Entry, openJournal } from "./journal.ts";
import { type Delivery, type NewMessage, readReceiptHandle, receiptHandle, type StoredMessage } from "./message.ts";

/** Times in seconds, as in the template. */
export interface QueueSettings {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly delay: number;
  readonly retention: number;
  readonly visibility: number;
  readonly waitTime: number;
  readonly largestMessage: number;
  readonly redrive: { readonly deadLetterArn: string; readonly mostReceives: number } | undefined;
  readonly createdAt: number;
}

export interface Counts {
  readonly visible: number;
  readonly delayed: number;
  readonly inFlight: number;
}

interface Live {
  message: StoredMessage;
  state: "visible" | "delayed" | "inFlight";
  cancel: () => void;
}

export interface ReceiveOptions {
  readonly most: number;
  /** Seconds. */
  readonly visibility: number;
  /** Whether an event source mapping receives them. */
  readonly mapped: boolean;
}

export interface Queue {
  readonly settings: QueueSettings;
  send(message: NewMessage, delaySeconds?: number): StoredMessage;
  /** Takes a message over from another queue. Its age counts from when it was sent. */
  move(message: StoredMessage, from: string): void;
  receive(options: ReceiveOptions): Delivery[];
  /** Resolves when a message may be visible, and after so many milliseconds. */
  arrival(milliseconds: number): Promise<void>;
  /** Deletes the message, if the handle belongs to its last delivery. False for what is no handle. */
  delete(handle: string): boolean;
  /** `missing`: the message is not in flight with this handle. */
  changeVisibility(handle: string, seconds: number): "changed" | "missing" | "invalid";
  /** Gives the oldest visible messages to another queue, and removes each when it is there. Gives their number. */
  drain(most: number, take: (message: StoredMessage) => void): number;
  purge(): void;
  counts(): Counts;
  close(): void;
}

interface Options {
  readonly settings: QueueSettings;
  readonly clock: Clock;
  readonly file: string;
  /** Moves a message to the dead-letter queue. It is deleted here after that. */
  readonly onExhausted: (message: StoredMessage) => void;
}

const HOUR = 3_600_000;

/** A standard queue. Everything that it acknowledges is in its journal. */
export const openQueue = ({ settings, clock, file, onExhausted }: Options): Queue => {
  const live = new Map<string, Live>();
  const order = fairOrder((message) => live.get(message.id)?.message === message);
  const counts = { visible: 0, delayed: 0, inFlight: 0 };
  const waiting = new Set<() => void>();
  const stored = function* (): Generator<StoredMessage> {
    for (const { message } of live.values()) yield message;
  };
  const journal = openJournal(file, stored);
  const note = (one: Entry): void => journal.add(one, live.size);

  const remove = (one: Live): void => {
    one.cancel();
    counts[one.state] -= 1;
    if (one.state === "inFlight") order.landed(one.message);
    live.delete(one.message.id);
  };

  const discard = (one: Live): void => {
    remove(one);
    note({ deleted: one.message.id });
  };

  const enter = (one: Live, state: Live["state"]): void => {
    one.cancel();
    counts[one.state] -= 1;
    counts[state] += 1;
    one.state = state;
    one.cancel = state === "visible" ? () => undefined : atTime(clock, one.message.visibleAt, () => surface(one));
    if (state !== "visible") return;
    order.add(one.message);
    for (const wake of waiting) wake();
  };

  const isExhausted = ({ receives }: StoredMessage): boolean =>
    settings.redrive !== undefined && receives >= settings.redrive.mostReceives;

  const giveUp = (one: Live): void => {
    onExhausted(one.message);
    discard(one);
  };

  /** The message becomes visible again, or goes to the dead-letter queue. */
  const surface = (one: Live): void => {
    if (isExhausted(one.message)) giveUp(one);
    else {
      if (one.state === "inFlight") order.landed(one.message);
      enter(one, "visible");
    }
  };

  const add = (message: StoredMessage, isNew: boolean): void => {
    const one: Live = { message, state: "visible", cancel: () => undefined };
    counts.visible += 1;
    live.set(message.id, one);
    if (isNew) note({ sent: message });
    const isHidden = message.visibleAt > clock.now();
    if (isHidden && message.receives > 0) order.flies(message);
    enter(one, isHidden ? (message.receives > 0 ? "inFlight" : "delayed") : "visible");
  };

  const isExpired = ({ sentAt }: StoredMessage): boolean => sentAt <= clock.now() - settings.retention * 1000;
  let cancelExpiry = (): void => undefined;
  const expireHourly = (): void => {
    for (const one of live.values()) if (isExpired(one.message)) discard(one);
    cancelExpiry = clock.after(HOUR, expireHourly);
  };

  for (const { mapped = false, ...message } of journal.messages) {
    // Its receiver has ended with the platform.
    const visibleAt = mapped && message.receives > 0 ? clock.now() : message.visibleAt;
    add({ ...message, visibleAt }, false);
  }
  expireHourly();

  /** The message in flight that the handle belongs to. */
  const inFlight = (handle: string): Live | "invalid" | "missing" => {
    const read = readReceiptHandle(handle);
    if (read === undefined) return "invalid";
    const one = live.get(read.id);
    return one?.message.receives === read.receives ? one : "missing";
  };

  const deliver = (one: Live, { visibility, mapped }: ReceiveOptions): Delivery => {
    const { message } = one;
    const { firstReceivedAt = clock.now() } = message;
    const received = {
      receives: message.receives + 1,
      visibleAt: clock.now() + visibility * 1000,
      firstReceivedAt,
      mapped,
    };
    one.message = { ...message, ...received };
    note({ received: { id: message.id, ...received } });
    if (visibility === 0) {
      order.landed(message);
      enter(one, "visible");
    } else enter(one, "inFlight");
    return { message: one.message, receiptHandle: receiptHandle(one.message) };
  };

  return {
    settings,
    send: (fresh, delaySeconds = settings.delay) => {
      const at = clock.now();
      const message = { ...fresh, id: randomUUID(), sentAt: at, visibleAt: at + delaySeconds * 1000, receives: 0 };
      add(message, true);
      return message;
    },
    move: ({ firstReceivedAt: _, mapped: __, deadLetterSource: ___, ...message }, from) =>
      add({ ...message, visibleAt: clock.now(), receives: 0, deadLetterSource: from }, true),
    receive: (options) => {
      const taken: Live[] = [];
      while (taken.length < options.most) {
        const message = order.take();
        if (message === undefined) break;
        const one = live.get(message.id) as Live;
        if (!isExpired(message) && !isExhausted(message)) {
          taken.push(one);
          continue;
        }
        order.landed(message);
        // The platform was killed during its last delivery.
        if (isExhausted(message)) onExhausted(message);
        discard(one);
      }
      // After all were taken, because one with a visibility timeout of 0 is visible again at once.
      return taken.map((one) => deliver(one, options));
    },
    arrival: (milliseconds) => {
      if (counts.visible > 0 || milliseconds <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          cancel();
          waiting.delete(wake);
          resolve();
        };
        const cancel = clock.after(milliseconds, wake);
        waiting.add(wake);
      });
    },
    delete: (handle) => {
      const one = inFlight(handle);
      if (typeof one !== "string") discard(one);
      return one !== "invalid";
    },
    changeVisibility: (handle, seconds) => {
      const one = inFlight(handle);
      if (typeof one === "string") return one;
      if (one.state !== "inFlight") return "missing";
      const at = clock.now() + seconds * 1000;
      one.message = { ...one.message, visibleAt: at };
      note({ visible: { id: one.message.id, at } });
      if (seconds === 0) surface(one);
      else enter(one, "inFlight");
      return "changed";
    },
    drain: (most, take) => {
      let moved = 0;
      for (const one of live.values()) {
        if (moved >= most) break;
        if (one.state !== "visible") continue;
        take(one.message);
        discard(one);
        moved += 1;
      }
      return moved;
    },
    purge: () => {
      for (const one of [...live.values()]) remove(one);
      order.clear();
      note({ purged: true });
    },
    counts: () => ({ ...counts }),
    close: () => {
      cancelExpiry();
      for (const { cancel } of live.values()) cancel();
      for (const wake of waiting) wake();
      journal.close();
    },
  };
};
