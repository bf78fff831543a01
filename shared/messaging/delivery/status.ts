/** In their order. A message moves forward only. */
const ranks = {
  scheduled: 0,
  queued: 1,
  sending: 2,
  // Nobody can tell whether the vendor took it. What the vendor reports later decides.
  unknown: 3,
  sent: 4,
  delivered: 5,
  bounced: 6,
  dropped: 6,
  failed: 6,
  captured: 7,
  suppressed: 7,
  cancelled: 7,
  received: 7,
} as const;

export type MessageStatus = keyof typeof ranks;

/** Statuses that nothing follows. */
const final: ReadonlySet<MessageStatus> = new Set([
  "delivered",
  "bounced",
  "dropped",
  "failed",
  "captured",
  "suppressed",
  "cancelled",
  "received",
]);

export const messageStatuses = Object.keys(ranks) as readonly MessageStatus[];

export const isFinal = (status: MessageStatus): boolean => final.has(status);

/**
 * Whether an event may change the status of a message: forward only, and never from a final one. Events come twice,
 * late and in any order.
 */
export const mayFollow = (before: MessageStatus, after: MessageStatus): boolean =>
  !isFinal(before) && ranks[after] > ranks[before];

/** The statuses that an event with this status may replace, for the filter of an update. */
export const statusesBefore = (after: MessageStatus): MessageStatus[] =>
  messageStatuses.filter((before) => mayFollow(before, after));
