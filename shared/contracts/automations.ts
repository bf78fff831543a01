import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

const executionHeaders = { "X-Execution-Id": "The id of the run, and of its `log` record." } as const;

const inputs = z.record(z.string(), z.unknown()).describe("What expressions read as `inputs`.");

const answer = z
  .unknown()
  .describe(
    'What the `return` of the automation gave. If it failed: `{"status": "error", "message", "error_type"}`; the message ' +
      "names the node.",
  );

const waiting = z
  .object({
    execution_id: z.string(),
    status: z.literal("waiting"),
    resume_at: timestamp.describe("When it goes on."),
  })
  .meta({ id: "WaitingAutomation" });

const replies = {
  200: { description: "The automation has ended.", body: answer, headers: executionHeaders },
  202: { description: "The automation waits in a delay.", body: waiting, headers: executionHeaders },
} as const;

export const runAutomation = defineContract({
  operation: "runAutomation",
  area: "automation",
  method: "POST",
  path: "/v1/automation/{automation_id}",
  access: "user",
  summary: "Run an automation",
  description:
    "Runs an active automation in the name of the caller, who must be allowed to read its record, and waits for its end: " +
    "25 seconds at most. One that meets a delay is answered 202 and goes on later. A failure of a node that no edge " +
    "handles is a 200 too. Every run leaves a `log` record with a line for each node. With an `Idempotency-Key` there is " +
    "one run, and a repetition gives its outcome.",
  request: {
    path: z.object({ automation_id: id.describe("The id of the `automation` record.") }),
    body: z.strictObject({ inputs: inputs.optional() }).optional().meta({ id: "RunAutomationRequest" }),
  },
  replies,
  faults: [
    "forbidden",
    "automation_not_found",
    "automation_invalid",
    "execution_not_found",
    "execution_limit",
    "too_many_functions",
    "dependency_unavailable",
    "database_unavailable",
  ],
  idempotent: true,
});

export const runPublicAutomation = defineContract({
  operation: "runPublicAutomation",
  area: "public",
  method: "POST",
  path: "/v1/public/automation/{org_id}/{automation_id}",
  access: "public",
  summary: "Run a public automation",
  description:
    "Runs an active automation that is marked public, without signing in. It acts as its `run_as` user, with at most the " +
    "rights of the administrator who changed it last. Expressions read the body as `inputs.body`. Of a failure the caller " +
    "is told only that there was one. An address may run one automation 60 times a minute. With an `Idempotency-Key` " +
    "there is one run in 24 hours, and a repetition gives its outcome.",
  request: {
    path: z.object({
      org_id: id.describe("The id of the organization."),
      automation_id: id.describe("The id of the `automation` record."),
    }),
    headers: z.object({
      "idempotency-key": z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe("Names this run, to repeat the request safely."),
    }),
    body: z.unknown().optional().describe("Any JSON, at most 64 KiB: `inputs.body`."),
    maxBodyBytes: 64 * 1024,
  },
  replies,
  faults: [
    "payment_required",
    "automation_not_found",
    "idempotency_in_flight",
    "too_many_attempts",
    "too_many_functions",
    "too_many_idempotency_keys",
    "dependency_unavailable",
    "database_unavailable",
  ],
});
