import type * as z from "zod";
import type { availability } from "#contracts/status-bodies";
import { isOnVacation } from "./vacation.ts";

export type Availability = z.output<typeof availability>;
export type PresenceStatus = NonNullable<Availability["status"]>;
export type CallStatus = NonNullable<Availability["call_status"]>;

/** One device's last heartbeat. */
export interface Beat {
  readonly at: Date;
  readonly status: PresenceStatus;
}

/**
 * A device counts for this time after its last heartbeat. Clients send one every 20 to 30 seconds, so one may be lost.
 */
export const DEVICE_MS = 60_000;

const bestFirst: readonly PresenceStatus[] = ["online", "busy", "away", "offline"];

const forCalls: Readonly<Record<PresenceStatus, CallStatus>> = {
  online: "available",
  busy: "busy",
  away: "away",
  offline: "offline",
};

/** A device with a recent heartbeat that is not `offline`. Whether its session still exists is checked elsewhere. */
export const isAlive = ({ at, status }: Beat, now: Date): boolean =>
  status !== "offline" && now.getTime() - at.getTime() < DEVICE_MS;

const byRank = (a: Beat, b: Beat): number =>
  bestFirst.indexOf(a.status) - bestFirst.indexOf(b.status) || b.at.getTime() - a.at.getTime();

const callStatusOf = (
  { do_not_disturb, call_status, vacation }: Availability,
  status: PresenceStatus,
  now: Date,
  timeZone: string,
): CallStatus => {
  if (do_not_disturb === true) return "do_not_disturb";
  if (call_status !== undefined) return call_status;
  if (vacation !== undefined && isOnVacation(vacation, now, timeZone)) return "away";
  return forCalls[status];
};

export interface Presence {
  readonly status: PresenceStatus;
  readonly call_status: CallStatus;
  readonly manual: boolean;
  /** The devices that count, best status first. */
  readonly devices: readonly Beat[];
}

/**
 * A person's status: the one set by hand, else the best of their devices, else offline. `beats` must be of existing
 * sessions.
 */
export const presenceOf = (
  availability: Availability,
  beats: readonly Beat[],
  now: Date,
  timeZone: string,
): Presence => {
  const devices = beats.filter((beat) => isAlive(beat, now)).sort(byRank);
  const status = availability.status ?? devices[0]?.status ?? "offline";
  return {
    status,
    call_status: callStatusOf(availability, status, now, timeZone),
    manual: availability.status !== undefined,
    devices,
  };
};
