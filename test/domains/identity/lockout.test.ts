import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkOf } from "#shared/foundation/network";
import { attemptKey } from "#shared/identity/sign-in/address";
import { ACCOUNT_LIMIT, lockStateOf, PAIR_LIMIT } from "#shared/identity/sign-in/lockout";

const start = Date.UTC(2026, 0, 31, 9, 30);
const moment = (seconds: number): Date => new Date(start + seconds * 1000);
const entry = (taken: number, failures: number, until: Date) => ({ _id: "key", taken, failures, expires_at: until });

describe("the attempts to sign in with one email from one address", () => {
  it("are open at first and with four failures", () => {
    expect(lockStateOf(null, PAIR_LIMIT, moment(0))).toEqual({ state: "open" });
    expect(lockStateOf(entry(4, 4, moment(900)), PAIR_LIMIT, moment(1))).toEqual({ state: "open" });
  });

  it("are locked by the fifth until its fifteen minutes have passed", () => {
    const locked = entry(5, 5, moment(900));
    expect(lockStateOf(locked, PAIR_LIMIT, moment(0))).toEqual({ state: "locked", retryAfterSeconds: 900 });
    expect(lockStateOf(locked, PAIR_LIMIT, moment(899.5))).toEqual({ state: "locked", retryAfterSeconds: 1 });
    expect(lockStateOf(locked, PAIR_LIMIT, moment(900))).toEqual({ state: "open" });
  });

  it("wait while five are being checked", () => {
    expect(lockStateOf(entry(5, 2, moment(900)), PAIR_LIMIT, moment(0))).toEqual({
      state: "busy",
      retryAfterSeconds: 1,
    });
  });

  it("never allow more checks than may fail, and always answer when to try again", () => {
    const arbitrary = fc.record({
      taken: fc.nat(100),
      failures: fc.nat(100),
      end: fc.integer({ min: -4000, max: 4000 }),
      limit: fc.constantFrom(PAIR_LIMIT, ACCOUNT_LIMIT),
    });
    fc.assert(
      fc.property(arbitrary, ({ taken, failures, end, limit }) => {
        const lock = lockStateOf(entry(taken, Math.min(failures, taken), moment(end)), limit, moment(0));
        if (lock.state === "open") expect(end <= 0 || taken < limit.failures).toBe(true);
        else expect(lock.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe("an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:0:1:aaaa:bbbb:cccc:dddd", "2001:db8:0:1::/64"],
    ["2001:DB8:0:1::1", "2001:db8:0:1::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
  ])("%s counts as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it("and an email give a unique key that reveals neither", () => {
    const key = attemptKey("pair", "ada@example.com", "203.0.113.7");
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(attemptKey("pair", "ada@example.com2", "03.0.113.7")).not.toBe(key);
    expect(attemptKey("account", "ada@example.com", "203.0.113.7")).not.toBe(key);
  });
});
