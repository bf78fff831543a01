import type { StoredMessage } from "./message.ts";

interface Group {
  /** Visible messages. Those before `head` were taken, and some others may be gone. */
  messages: StoredMessage[];
  head: number;
  inFlight: number;
  /** When one of its messages was last taken. */
  served: number;
}

/**
 * The visible messages of a queue in the order in which they are received: of all groups, the one with the fewest
 * messages in flight comes next, and among those the one that has waited longest. Within a group the first comes first.
 * So a group with many messages does not delay another one. Messages without a group are one group.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
export const fairOrder = (isVisible: (message: StoredMessage) => boolean) => {
  const groups = new Map<string, Group>();
  let turn = 0;

  const groupOf = ({ group = "" }: StoredMessage): Group => {
    let found = groups.get(group);
    if (found === undefined) {
      found = { messages: [], head: 0, inFlight: 0, served: 0 };
      groups.set(group, found);
    }
    return found;
  };

  /** The first visible message of a group, which is skipped to. */
  const first = (group: Group): StoredMessage | undefined => {
    for (; group.head < group.messages.length; group.head++) {
      const message = group.messages[group.head];
      if (message !== undefined && isVisible(message)) return message;
    }
    group.messages = [];
    group.head = 0;
    return undefined;
  };

  return {
    add: (message: StoredMessage): void => void groupOf(message).messages.push(message),
    /** Removes the next message, which is in flight from then on; undefined if none is visible. */
    take: (): StoredMessage | undefined => {
      let best: { group: Group; message: StoredMessage } | undefined;
      for (const [name, group] of groups) {
        const message = first(group);
        if (message === undefined) {
          if (group.inFlight === 0) groups.delete(name);
          continue;
        }
        const { inFlight, served } = best?.group ?? { inFlight: Number.POSITIVE_INFINITY, served: 0 };
        if (group.inFlight < inFlight || (group.inFlight === inFlight && group.served < served))
          best = { group, message };
      }
      if (best === undefined) return undefined;
      best.group.head += 1;
      best.group.inFlight += 1;
      best.group.served = ++turn;
      return best.message;
    },
    /** A message that was taken is no longer in flight. */
    landed: (message: StoredMessage): void => void groupOf(message).inFlight--,
    /** A message is in flight that was not taken here. */
    flies: (message: StoredMessage): void => void groupOf(message).inFlight++,
    clear: (): void => groups.clear(),
  };
};
