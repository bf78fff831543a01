import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MessageStatus, messageStatus } from "#contracts/message-status";
import { isFinal, mayFollow, statusesBefore } from "../../../shared/messaging/delivery/status.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

/** In their order, written out. */
const order: readonly (readonly MessageStatus[])[] = [
  ["scheduled"],
  ["queued"],
  ["sending"],
  ["unknown"],
  ["sent"],
  ["delivered"],
];
const ends: readonly MessageStatus[] = [
  "delivered",
  "bounced",
  "dropped",
  "failed",
  "captured",
  "suppressed",
  "cancelled",
  "received",
];

const status = fc.constantFrom(...messageStatus.options);

describe("the status of a message", () => {
  it("never goes backwards, whatever events come twice, late and in any order", () => {
    fc.assert(
      fc.property(status, fc.array(status, { maxLength: 30 }), (first, events) => {
        const seen = [first];
        let now = first;
        for (const event of events) {
          if (mayFollow(now, event)) now = event;
          if (seen.at(-1) !== now) seen.push(now);
        }
        expect(new Set(seen).size).toBe(seen.length);
        const ranks = seen.map((one) => order.findIndex((names) => names.includes(one))).filter((rank) => rank >= 0);
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
        for (const before of seen.slice(0, -1)) expect(ends).not.toContain(before);
      }),
      propertyRuns(1_000),
    );
  });

  it("is the same in the end, in whatever order and however often the events of a delivery come", () => {
    const events: MessageStatus[] = ["sent", "delivered"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events)), (more) => {
        const shuffled: MessageStatus[] = [...more, ...events].toReversed();
        const end = shuffled.reduce<MessageStatus>((now, event) => (mayFollow(now, event) ? event : now), "sending");
        expect(end).toBe("delivered");
      }),
      propertyRuns(1_000),
    );
  });

  it.each(ends)("%s is final", (end) => {
    expect(isFinal(end)).toBe(true);
    for (const later of messageStatus.options) expect(mayFollow(end, later)).toBe(false);
  });

  it("that nobody knows is ended by what the vendor reports", () => {
    expect(statusesBefore("delivered").sort()).toEqual(["queued", "scheduled", "sending", "sent", "unknown"]);
    expect(mayFollow("unknown", "bounced")).toBe(true);
    expect(mayFollow("unknown", "queued")).toBe(false);
  });
});
