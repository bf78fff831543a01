import * as z from "zod";
import { defineScheduledWork } from "./schedules.ts";

export const runScheduled = defineScheduledWork({
  work: "run-scheduled",
  summary: "Runs a scheduled item, goes on with an automation whose delay is over, or sends a message at its time",
  input: z.object({
    organization: z.string(),
    kind: z.enum(["item", "automation", "message", "digest"]),
    id: z
      .string()
      .describe("Of the `scheduled_item` record, the execution or the digest; of a message `<object>/<id>`."),
    revision: z.string().describe("Runs of an earlier revision are dropped."),
    scheduled_time: z.iso.datetime({ offset: true }).describe("The time for which Scheduler made the run."),
  }),
  output: z.object({
    outcome: z
      .enum(["completed", "failed", "dropped", "postponed"])
      .describe(
        "`dropped`: there was nothing to do. `postponed`: too much was running, and a later schedule tries again.",
      ),
  }),
});

/** What schedules invoke that are made at run time. Their client knows one target. */
export const scheduledWork = [runScheduled] as const;
