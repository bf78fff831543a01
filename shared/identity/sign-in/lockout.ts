import type { LoginAttempts } from "#shared/tenant/tenant";

/** The number of failures of one key that are allowed, and how long they count. */
export interface Limit {
  readonly failures: number;
  readonly milliseconds: number;
  /** Whether every failure restarts the time. Otherwise it runs from the first failure. */
  readonly renews: boolean;
}

/** One email from one network: five failures lock it until 15 minutes after the last. */
export const PAIR_LIMIT: Limit = { failures: 5, milliseconds: 15 * 60_000, renews: true };

/** One email from all networks from which it has not signed in, or from one from which it has: fifty an hour. */
export const ACCOUNT_LIMIT: Limit = { failures: 50, milliseconds: 60 * 60_000, renews: false };

/**
 * One-time codes of one identity over all its sign-ins: thirty, until an hour after the last. With three codes of six
 * digits valid at a time (TOTP), guessing has less than one chance in 10,000 an hour.
 */
export const CODE_LIMIT: Limit = { failures: 30, milliseconds: 60 * 60_000, renews: true };

/**
 * `open`: another attempt may be checked. `busy`: as many are being checked as may still fail. `locked`: too many have
 * failed.
 */
export type LockState =
  | { readonly state: "open" }
  | { readonly state: "busy"; readonly retryAfterSeconds: number }
  | { readonly state: "locked"; readonly retryAfterSeconds: number };

export const lockStateOf = (entry: LoginAttempts | null, limit: Limit, at: Date): LockState => {
  if (entry === null || entry.expires_at <= at || entry.taken < limit.failures) return { state: "open" };
  if (entry.failures < limit.failures) return { state: "busy", retryAfterSeconds: 1 };
  return { state: "locked", retryAfterSeconds: Math.ceil((entry.expires_at.getTime() - at.getTime()) / 1000) };
};
