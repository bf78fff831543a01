import { type MessageStatus, messageStatus } from "#contracts/message-status";

/** A message moves to a higher rank only. */
const ranks: Readonly<Record<MessageStatus, number>> = {
  scheduled: 0,
  queued: 1,
  sending: 2,
  // Nobody can tell whether the vendor took it. What the vendor reports later decides.
  unknown: 3,
  sent: 4,
  delivered: 5,
  bounced: 5,
  dropped: 5,
  failed: 5,
  captured: 5,
  suppressed: 5,
  cancelled: 5,
  received: 5,
};

const FINAL = 5;

/** Whether no other status follows. */
export const isFinal = (status: MessageStatus): boolean => ranks[status] === FINAL;

/**
 * Whether an event may change the status of a message: forward only, and so never from a final one. Events come
 * twice, late and in any order.
 */
export const mayFollow = (before: MessageStatus, after: MessageStatus): boolean => ranks[after] > ranks[before];

/** The statuses that an event with this status may replace, for the filter of an update. */
export const statusesBefore = (after: MessageStatus): MessageStatus[] =>
  messageStatus.options.filter((before) => mayFollow(before, after));
