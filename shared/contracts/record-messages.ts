/** The messages that writes of records set off. */
import * as z from "zod";
import { actor } from "./actor.ts";
import { defineMessage } from "./queue.ts";
import { triggerEvents } from "./runner.ts";

const records = z.record(z.string(), z.record(z.string(), z.unknown()));

const queuedRecords = z.object({
  event: z.enum(triggerEvents),
  object: z.string(),
  new_map: records.describe("Record id → record as it was written. Empty for deletes."),
  old_map: records.describe("Record id → record before the write. Empty for creates."),
  acting: actor.describe("Who has written the records, and is the executing user."),
  chain: z
    .object({ depth: z.int().nonnegative(), path: z.array(z.string()) })
    .describe("The executions that led to the write. What the message starts goes on with their depth."),
});

export type QueuedRecords = z.output<typeof queuedRecords>;

export const recordTriggerMessage = defineMessage({
  queue: "record-trigger",
  summary: "Runs an async record trigger.",
  payload: queuedRecords.extend({ trigger_id: z.string() }),
});

export type RecordTriggerMessage = z.output<(typeof recordTriggerMessage)["payload"]>;

export const startAutomation = defineMessage({
  queue: "automation",
  summary: "Runs an automation that a written record starts.",
  payload: queuedRecords.extend({ automation_id: z.string() }),
});

export type StartAutomation = z.output<(typeof startAutomation)["payload"]>;
