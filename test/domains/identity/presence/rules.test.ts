import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Availability, type Beat, type PresenceStatus, presenceOf } from "#shared/identity/presence/rules";

const NOW = new Date("2026-06-15T12:00:00.000Z");
const statuses = ["online", "busy", "away", "offline"] as const;
const callStatuses = ["available", "busy", "on_call", "away", "do_not_disturb", "offline"] as const;

const ago = (milliseconds: number): Date => new Date(NOW.getTime() - milliseconds);
const beat = (): fc.Arbitrary<Beat> =>
  fc.record({
    status: fc.constantFrom(...statuses),
    at: fc.oneof(fc.integer({ min: -500, max: 120_000 }), fc.constantFrom(0, 59_999, 60_000)).map(ago),
  });
const days = () => fc.integer({ min: -3, max: 3 }).map((day) => ago(day * 86_400_000).toISOString());
const vacation = (): fc.Arbitrary<[string, string]> =>
  fc.tuple(days(), days(), fc.boolean()).map(([a, b, whole]) => {
    const [from = a, to = b] = [a, b].sort();
    return whole ? [from.slice(0, 10), to.slice(0, 10)] : [from, to];
  });
const availability = (): fc.Arbitrary<Availability> =>
  fc.record(
    {
      status: fc.constantFrom(...statuses),
      call_status: fc.constantFrom(...callStatuses),
      do_not_disturb: fc.boolean(),
      vacation: vacation(),
    },
    { requiredKeys: [] },
  );

/** The rules again, written in the simplest way. */
const expectedStatus = ({ status }: Availability, beats: readonly Beat[]): PresenceStatus => {
  if (status) return status;
  const heard = beats.filter(({ at }) => NOW.getTime() - at.getTime() < 60_000).map((one) => one.status);
  return statuses.find((candidate) => heard.includes(candidate)) ?? "offline";
};

describe("a person's status", () => {
  it("is the one set by hand, else the best of the devices with a heartbeat within 60 seconds, else offline", () => {
    fc.assert(
      fc.property(availability(), fc.array(beat(), { maxLength: 6 }), (settings, beats) => {
        const presence = presenceOf(settings, beats, NOW, "UTC");
        expect(presence.status).toBe(expectedStatus(settings, beats));
        expect(presence.manual).toBe(settings.status !== undefined);
        expect(presence.devices).toHaveLength(
          beats.filter(({ at, status }) => status !== "offline" && NOW.getTime() - at.getTime() < 60_000).length,
        );
        if (!presence.manual && presence.devices.length > 0) expect(presence.devices[0]?.status).toBe(presence.status);
      }),
    );
  });

  it("does not depend on the order of the devices, and another device never makes it worse", () => {
    fc.assert(
      fc.property(fc.array(beat(), { maxLength: 6 }), beat(), fc.nat(), (beats, another, turn) => {
        const turned = [...beats.slice(turn % 7), ...beats.slice(0, turn % 7)];
        const before = presenceOf({}, beats, NOW, "UTC").status;
        expect(presenceOf({}, turned, NOW, "UTC").status).toBe(before);
        const after = presenceOf({}, [...beats, another], NOW, "UTC").status;
        expect(statuses.indexOf(after)).toBeLessThanOrEqual(statuses.indexOf(before));
      }),
    );
  });

  it("decides on calls only if nothing was set for them", () => {
    const meaning = { online: "available", busy: "busy", away: "away", offline: "offline" };
    fc.assert(
      fc.property(availability(), fc.array(beat(), { maxLength: 3 }), (settings, beats) => {
        const { status, call_status } = presenceOf(settings, beats, NOW, "UTC");
        const [from, to] = settings.vacation ?? ["9999", "9999"];
        const now = from.length === 10 ? NOW.toISOString().slice(0, 10) : NOW.toISOString();
        const onVacation = from <= now && now <= to;
        if (settings.do_not_disturb) expect(call_status).toBe("do_not_disturb");
        else if (settings.call_status) expect(call_status).toBe(settings.call_status);
        else expect(call_status).toBe(onVacation ? "away" : meaning[status]);
      }),
    );
  });
});

describe("a vacation in days", () => {
  const callsAt = (at: string, timeZone: string) =>
    presenceOf({ vacation: ["2026-08-01", "2026-08-02"], status: "online" }, [], new Date(at), timeZone).call_status;

  it("begins and ends by the person's time zone", () => {
    expect(callsAt("2026-07-31T21:59:59.999Z", "Europe/Berlin")).toBe("available");
    expect(callsAt("2026-07-31T22:00:00.000Z", "Europe/Berlin")).toBe("away");
    expect(callsAt("2026-07-31T22:00:00.000Z", "UTC")).toBe("available");
    expect(callsAt("2026-08-02T21:59:59.999Z", "Europe/Berlin")).toBe("away");
    expect(callsAt("2026-08-02T22:00:00.000Z", "Europe/Berlin")).toBe("available");
    expect(callsAt("2026-08-03T06:59:59.999Z", "America/Los_Angeles")).toBe("away");
  });
});
