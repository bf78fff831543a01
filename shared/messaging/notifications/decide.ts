import type { Channel, Preferences } from "#contracts/notification-bodies";
import { nextClockTime, nextHour } from "./local-time.ts";

export type Digest = "none" | "hourly" | "daily";

interface Asked {
  readonly type: string;
  readonly urgent: boolean;
  readonly channels: readonly Channel[];
}

/** The channels that a user lets a type of notifications use. Empty for a muted type. */
export const allowedChannels = (
  { channels, muted }: Preferences,
  { type, channels: asked }: Omit<Asked, "urgent">,
): Channel[] => {
  if (muted.includes(type)) return [];
  const own = channels.find((entry) => entry.type === type) ?? channels.find((entry) => entry.type === "*");
  return own === undefined ? [...asked] : asked.filter((channel) => own.channels.includes(channel));
};

/**
 * When the quiet hours end that hold at this moment; null if none do. They hold if their end comes before their next
 * beginning: clocks that are set back show both times twice, and only the first time counts.
 */
const quietUntil = ({ quiet_hours }: Preferences, at: Date, timeZone: string): Date | null => {
  if (quiet_hours === null) return null;
  const end = nextClockTime(at, quiet_hours.to, timeZone);
  return end < nextClockTime(at, quiet_hours.from, timeZone) ? end : null;
};

/** What a delivery waits for, and until when. */
export interface Wait {
  readonly kind: "hourly" | "daily" | "quiet";
  readonly until: Date;
}

/** Whether what disturbs a user has to wait: for a digest, or for the end of their quiet hours. Null if not. */
export const waitOf = (own: Preferences, timeZone: string, digest: Digest, urgent: boolean, at: Date): Wait | null => {
  if (urgent) return null;
  if (digest === "hourly") return { kind: "hourly", until: nextHour(at, timeZone) };
  if (digest === "daily") return { kind: "daily", until: nextClockTime(at, own.digest_time, timeZone) };
  const until = quietUntil(own, at, timeZone);
  return until === null ? null : { kind: "quiet", until };
};
