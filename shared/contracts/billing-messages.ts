import * as z from "zod";
import { day } from "./billing-bodies.ts";
import { defineMessage } from "./queue.ts";

const organization_id = z.string();
const run_id = z.string();

export const usageSyncMessage = defineMessage({
  queue: "usage-sync",
  summary: "Syncs the usage of one organization on one day, or adds the messages of further organizations of a run",
  scope: "platform",
  payload: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("plan"), run_id, after: z.string().describe("The organization before the next one.") }),
    z.object({ kind: z.literal("day"), run_id, organization_id, date: day }),
  ]),
});

export const billingHookMessage = defineMessage({
  queue: "billing-hook",
  summary: "Takes over the state of an organization's payment from the payment vendor",
  scope: "platform",
  payload: z.union([
    z.object({ key: z.string().describe("The file with the event.") }),
    z.object({ organization_id: z.string().describe("An organization whose state is read without an event.") }),
  ]),
});
