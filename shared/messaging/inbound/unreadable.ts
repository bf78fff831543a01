import { Fault } from "#shared/foundation/faults";

/** The body of a webhook breaks its format. It becomes a dead letter, and its bytes are kept. */
export const unreadable = (message: string, cause?: unknown): Fault =>
  new Fault("unreadable_webhook", { message, ...(cause !== undefined && { cause }) });
