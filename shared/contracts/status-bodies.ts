import * as z from "zod";
import { id, timestamp } from "./common.ts";

export const presenceStatus = z
  .enum(["online", "busy", "away", "offline"])
  .describe("From the best to the worst: `online`, `busy`, `away`, `offline`.");

const callStatus = z
  .enum(["available", "busy", "on_call", "away", "do_not_disturb", "offline"])
  .describe("Whether the person takes calls.");

const vacationBound = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .describe("A whole day in the person's time zone, or a date and time: ISO 8601.")
  .meta({ examples: ["2026-08-01"] });

const DAY_MS = 24 * 60 * 60_000;

/** A day ends where the next one begins. */
const endOf = (bound: string): number => Date.parse(bound) + (bound.length === "2026-08-01".length ? DAY_MS - 1 : 0);

const vacation = z
  .tuple([vacationBound, vacationBound])
  .refine(([from, to]) => Date.parse(from) <= endOf(to), { error: "The vacation ends before it begins." })
  .describe("From and to, inclusive.")
  .meta({ examples: [["2026-08-01", "2026-08-14"]] });

/** Each setting with its meaning. All are optional. */
export const settings = {
  status: presenceStatus.describe("Shown instead of the devices' status until it is reset."),
  call_status: callStatus.describe("Shown instead of the computed status until it is reset."),
  available_for_mobile_calls: z.boolean().describe("Takes calls on the mobile phone."),
  available_for_web_calls: z.boolean().describe("Takes calls in the browser."),
  allow_mobile_calls: z.boolean().describe("Calls may be put through to the mobile phone."),
  allow_web_calls: z.boolean().describe("Calls may be put through to the browser."),
  has_mobile_app: z.boolean().describe("Has the mobile app."),
  do_not_disturb: z.boolean().describe("Takes no calls at all. It has priority over `call_status`."),
  vacation,
};

/** What a person has set. Settings that were never made or were reset are absent. */
export const availability = z.object(settings).partial().meta({ id: "Availability" });

export const userStatus = z
  .object({
    user_id: id,
    name: z.string().nullable().describe("Null if the caller may not read it."),
    status: presenceStatus.describe(
      "The status that the person has set, else the best status of the person's devices, else `offline`.",
    ),
    call_status: callStatus.describe(
      "In this order: `do_not_disturb` if it is on; the status that was set; `away` on vacation; the one that " +
        "follows from `status`.",
    ),
    manual: z.boolean().describe("Whether `status` was set by the person; `reset` removes it."),
    last_active_at: timestamp.nullable().describe("The last heartbeat of any device; null if there was none."),
    devices: z
      .array(z.object({ status: presenceStatus, last_active_at: timestamp }))
      .describe("The devices that are present, the best status first."),
    availability: availability.nullable().describe("The person's own settings. Null if the caller may not read them."),
  })
  .meta({ id: "UserStatusResponse" });
