import { describe, expect, it } from "vitest";
import { preferences } from "#contracts/notification-bodies";
import { allowedChannels, waitOf } from "#shared/messaging/notifications/decide";

const BERLIN = "Europe/Berlin";
const night = preferences.parse({ quiet_hours: { from: "22:00", to: "06:30" } });

const quietUntil = (at: string, zone = BERLIN, own = night): string | undefined =>
  waitOf(own, zone, "none", false, new Date(at))?.until.toISOString();

describe("quiet hours over midnight", () => {
  it.each([
    ["2026-01-10T20:59:59Z", undefined],
    ["2026-01-10T21:00:00Z", "2026-01-11T05:30:00.000Z"],
    ["2026-01-10T23:30:00Z", "2026-01-11T05:30:00.000Z"],
    ["2026-01-11T05:29:59Z", "2026-01-11T05:30:00.000Z"],
    ["2026-01-11T05:30:00Z", undefined],
    ["2026-01-11T12:00:00Z", undefined],
  ])("at %s in Berlin last until %s", (at, until) => {
    expect(quietUntil(at)).toBe(until);
  });

  it("end an hour earlier in UTC in the night in which summer time begins, and later when it ends", () => {
    expect(quietUntil("2026-03-28T22:00:00Z")).toBe("2026-03-29T04:30:00.000Z");
    expect(quietUntil("2026-10-24T21:00:00Z")).toBe("2026-10-25T05:30:00.000Z");
  });

  it("that end in the skipped hour end at a moment after the change, and those in the repeated hour at the first one", () => {
    const own = preferences.parse({ quiet_hours: { from: "22:00", to: "02:30" } });
    expect(quietUntil("2026-03-28T23:00:00Z", BERLIN, own)).toBe("2026-03-29T01:30:00.000Z");
    expect(quietUntil("2026-10-24T22:00:00Z", BERLIN, own)).toBe("2026-10-25T00:30:00.000Z");
  });

  it("that have ended in the repeated hour do not hold again when the hour is repeated", () => {
    const own = preferences.parse({ quiet_hours: { from: "22:00", to: "02:30" } });
    expect(quietUntil("2026-10-25T00:29:00Z", BERLIN, own)).toBe("2026-10-25T00:30:00.000Z");
    expect(quietUntil("2026-10-25T00:30:00Z", BERLIN, own)).toBeUndefined();
    expect(quietUntil("2026-10-25T01:10:00Z", BERLIN, own)).toBeUndefined();
  });

  it("that begin in the repeated hour hold until their end from its first time on", () => {
    const own = preferences.parse({ quiet_hours: { from: "02:30", to: "08:00" } });
    expect(quietUntil("2026-10-25T00:29:00Z", BERLIN, own)).toBeUndefined();
    expect(quietUntil("2026-10-25T00:30:00Z", BERLIN, own)).toBe("2026-10-25T07:00:00.000Z");
    expect(quietUntil("2026-10-25T01:10:00Z", BERLIN, own)).toBe("2026-10-25T07:00:00.000Z");
  });

  it("are those of the user's time zone, also of one with an offset of three quarters of an hour", () => {
    expect(quietUntil("2026-01-10T16:20:00Z", "Asia/Kathmandu")).toBe("2026-01-11T00:45:00.000Z");
    expect(quietUntil("2026-01-10T16:10:00Z", "Asia/Kathmandu")).toBeUndefined();
  });
});

it("quiet hours within a day hold between their ends", () => {
  const own = preferences.parse({ quiet_hours: { from: "12:00", to: "13:00" } });
  expect(quietUntil("2026-01-10T11:30:00Z", BERLIN, own)).toBe("2026-01-10T12:00:00.000Z");
  expect(quietUntil("2026-01-10T12:00:00Z", BERLIN, own)).toBeUndefined();
});

it("urgent notifications wait for nothing", () => {
  for (const digest of ["none", "hourly", "daily"] as const) {
    expect(waitOf(night, BERLIN, digest, true, new Date("2026-01-10T23:30:00Z"))).toBeNull();
  }
});

describe("digests", () => {
  const digest = (kind: "hourly" | "daily", at: string, zone: string, time = "08:00") =>
    waitOf(preferences.parse({ digest_time: time }), zone, kind, false, new Date(at))?.until.toISOString();

  it.each([
    ["hourly", "2026-01-10T11:59:59.999Z", BERLIN, "2026-01-10T12:00:00.000Z"],
    ["hourly", "2026-01-10T12:00:00Z", BERLIN, "2026-01-10T13:00:00.000Z"],
    ["hourly", "2026-01-10T12:10:00Z", "Asia/Kathmandu", "2026-01-10T12:15:00.000Z"],
    ["daily", "2026-01-10T06:59:00Z", BERLIN, "2026-01-10T07:00:00.000Z"],
    ["daily", "2026-01-10T07:00:00Z", BERLIN, "2026-01-11T07:00:00.000Z"],
    ["daily", "2026-03-28T12:00:00Z", BERLIN, "2026-03-29T06:00:00.000Z"],
    ["daily", "2026-10-24T12:00:00Z", BERLIN, "2026-10-25T07:00:00.000Z"],
  ] as const)("%s after %s in %s is due at %s", (kind, at, zone, due) => {
    expect(digest(kind, at, zone)).toBe(due);
  });

  it("daily are due once a day also at a time that a clock change skips or repeats", () => {
    expect(digest("daily", "2026-03-28T12:00:00Z", BERLIN, "02:30")).toBe("2026-03-29T01:30:00.000Z");
    expect(digest("daily", "2026-03-29T01:30:00Z", BERLIN, "02:30")).toBe("2026-03-30T00:30:00.000Z");
    expect(digest("daily", "2026-10-24T12:00:00Z", BERLIN, "02:30")).toBe("2026-10-25T00:30:00.000Z");
    expect(digest("daily", "2026-10-25T00:30:00Z", BERLIN, "02:30")).toBe("2026-10-26T01:30:00.000Z");
  });
});

describe("the channels of a type", () => {
  const asked = ["in_app", "push", "email"] as const;
  const own = preferences.parse({
    muted: ["spam"],
    channels: [
      { type: "*", channels: ["in_app"] },
      { type: "order", channels: ["push", "sms"] },
    ],
  });

  it.each([
    ["spam", []],
    ["order", ["push"]],
    ["other", ["in_app"]],
  ])("%s are those that the setting asks for and the user allows", (type, allowed) => {
    expect(allowedChannels(own, { type, channels: asked })).toEqual(allowed);
  });

  it("are all without preferences", () => {
    expect(allowedChannels(preferences.parse({}), { type: "x", channels: asked })).toEqual(asked);
  });
});
