import { fromSes } from "./ses-event.ts";
import { fromSendgrid, fromStandard, type VendorEvent } from "./vendor-event.ts";

/** Of one body. */
const MOST_EVENTS_OF_BODY = 10_000;

const isSendgrid = (value: unknown): boolean => typeof value === "object" && value !== null && "sg_event_id" in value;

export interface ReadEvents {
  readonly events: readonly VendorEvent[];
  /** Entries that are no event that we know. */
  readonly ignored: number;
}

interface Source {
  /** Of the webhook, for events without an id. */
  readonly id: string;
  readonly isSes: boolean;
}

/** The events of a body that was JSON: one or an array; of SES one, about several recipients. */
export const readEvents = (value: unknown, { id, isSes }: Source): ReadEvents => {
  if (isSes) {
    const events = fromSes(value);
    return { events, ignored: events.length === 0 ? 1 : 0 };
  }
  const all: unknown[] = Array.isArray(value) ? value : [value];
  const events = all
    .slice(0, MOST_EVENTS_OF_BODY)
    .flatMap((one, index) => (isSendgrid(one) ? fromSendgrid(one) : fromStandard(one, `${id}/${index}`)) ?? []);
  return { events, ignored: all.length - events.length };
};
