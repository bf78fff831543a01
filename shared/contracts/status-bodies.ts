import * as z from "zod";
import { id, timestamp } from "./common.ts";

export const presenceStatus = z
  .enum(["online", "busy", "away", "offline"])
  .describe("From the best to the least: `online`, `busy`, `away`, `offline`.");

const callStatus = z
  .enum(["available", "busy", "on_call", "away", "do_not_disturb", "offline"])
  .describe("Whether the person takes calls.");

const vacationBound = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .describe("A day, which counts whole and where the person lives, or a moment: ISO 8601.")
  .meta({ examples: ["2026-08-01"] });

const DAY_MS = 24 * 60 * 60_000;

/** A day ends where the next one begins; a moment is what it is. */
const endOf = (bound: string): number => Date.parse(bound) + (bound.length === "2026-08-01".length ? DAY_MS - 1 : 0);

const vacation = z
  .tuple([vacationBound, vacationBound])
  .refine(([from, to]) => Date.parse(from) <= endOf(to), { error: "The vacation ends before it begins." })
  .describe("From and to, both included.")
  .meta({ examples: [["2026-08-01", "2026-08-14"]] });

/** Each with what it means; all may be left out. */
export const settings = {
  status: presenceStatus.describe("Shown instead of what the devices say, until it is taken back."),
  call_status: callStatus.describe("Shown instead of what follows from the rest, until it is taken back."),
  available_for_mobile_calls: z.boolean().describe("Takes calls on the mobile phone."),
  available_for_web_calls: z.boolean().describe("Takes calls in the browser."),
  allow_mobile_calls: z.boolean().describe("Calls may be put through to the mobile phone."),
  allow_web_calls: z.boolean().describe("Calls may be put through to the browser."),
  has_mobile_app: z.boolean().describe("Has the mobile app."),
  do_not_disturb: z.boolean().describe("Takes no calls at all; counts before `call_status`."),
  vacation,
};

/** What a person has set by hand; a setting that was never made, or was taken back, is left out. */
export const availability = z.object(settings).partial().meta({ id: "Availability" });

export const userStatus = z
  .object({
    user_id: id,
    name: z.string().nullable().describe("Null if the caller may not read it."),
    status: presenceStatus.describe(
      "What was set by hand if anything was, else the best status of the person's devices, else `offline`.",
    ),
    call_status: callStatus.describe(
      "In this order: `do_not_disturb` if that is on; what was set by hand; `away` on vacation; what `status` means for calls.",
    ),
    manual: z.boolean().describe("`status` was set by hand; `reset` takes it back."),
    last_active_at: timestamp.nullable().describe("The last sign of life of any device; null if there was never one."),
    devices: z
      .array(z.object({ status: presenceStatus, last_active_at: timestamp }))
      .describe("The devices that count now, the best first."),
    availability: availability.nullable().describe("What the person set by hand. Null if the caller may not read it."),
  })
  .meta({ id: "UserStatusResponse" });
