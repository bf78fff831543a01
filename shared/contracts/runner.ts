/**
 * The protocol of the runner, the Lambda in Python that runs tenants' code. The Python side checks the events by hand.
 */
import * as z from "zod";

/** In bytes of UTF-8. */
export const runnerLimits = {
  code: 256 * 1024,
  /** Of the JSON of the inputs. */
  input: 1024 * 1024,
  /** Of the JSON of the maps of a trigger. */
  maps: 5 * 1024 * 1024,
  /** Of the JSON of the output, and of one call to the context. */
  output: 1024 * 1024,
  lines: 1_000,
  lineBytes: 256 * 1024,
} as const;

const form = z
  .enum(["function", "trigger"])
  .describe("`function`: execute(platform, **kwargs). `trigger`: execute(context).");

const code = z.string().describe("Python source, at most 256 KiB.");

const recordMap = z.record(z.string(), z.record(z.string(), z.unknown())).describe("Record id → record.");

export const triggerEvents = [
  "before_create",
  "before_update",
  "before_delete",
  "after_create",
  "after_update",
  "after_delete",
] as const;

const triggerBatch = z.object({
  event: z.enum(triggerEvents),
  object: z.string(),
  new_map: recordMap,
  old_map: recordMap,
});

const runEvent = z.object({
  kind: z.literal("run"),
  form,
  name: z.string().describe("The file name, for error texts."),
  code,
  kwargs: z.record(z.string(), z.unknown()).optional().describe("Of a function."),
  trigger: triggerBatch.optional().describe("Of a trigger."),
  user: z.record(z.string(), z.unknown()).describe("The executing user: id, name, email."),
  timeout_ms: z.number().int().positive(),
  memory_mb: z.number().int().positive(),
  context: z.object({
    url: z.string().describe("Where the supervisor sends the calls of the code."),
    token: z.string().describe("The capability token. The code never sees it."),
  }),
});

const checkEvent = z.object({ kind: z.literal("check"), form, code });

const logLine = z.object({
  at: z.string().describe("ISO 8601, UTC."),
  level: z.enum(["debug", "info", "warning", "error"]),
  message: z.string(),
});

const executionErrorKinds = [
  "exception",
  "refused",
  "timeout",
  "memory",
  "invalid_code",
  "invalid_output",
  "killed",
  "limit",
] as const;

const executionError = z.object({
  kind: z
    .enum(executionErrorKinds)
    .describe("`refused`: TriggerError was raised. `killed`: the process or the environment ended without an answer."),
  type: z.string().describe("The name of the exception, or of the limit."),
  message: z.string(),
  line: z.number().int().optional(),
  field: z.string().optional().describe("The field that TriggerError names."),
  record_id: z.string().optional().describe("The record that TriggerError names."),
  code: z.string().optional().describe("The code of a PlatformError."),
});

const traces = {
  lines: z.array(logLine),
  lines_cut: z.boolean().describe("Whether lines are missing because of the limit."),
  calls: z.number().int().nonnegative().describe("Calls to the context."),
  duration_ms: z.number().nonnegative(),
};

export const runAnswer = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("completed"),
    output: z.unknown(),
    new_map: recordMap.optional().describe("Of a trigger: the whole map, with the changes of the code."),
    ...traces,
  }),
  z.object({ status: z.literal("failed"), error: executionError, ...traces }),
]);

export const checkAnswer = z.object({
  issues: z.array(
    z.object({
      line: z.number().int().describe("From 1."),
      column: z.number().int().describe("From 1."),
      rule: z.string(),
      message: z.string(),
    }),
  ),
});

/** A call of running code to the platform, as the supervisor sends it. */
export const contextCall = z.strictObject({
  method: z.string().min(1).max(100),
  args: z.array(z.unknown()).max(20).default([]),
  kwargs: z.record(z.string(), z.unknown()).default({}),
});

export type TriggerEvent = (typeof triggerEvents)[number];
export type RunEvent = z.output<typeof runEvent>;
export type CheckEvent = z.output<typeof checkEvent>;
export type RunAnswer = z.output<typeof runAnswer>;
export type CheckAnswer = z.output<typeof checkAnswer>;
export type ExecutionError = z.output<typeof executionError>;
export type ContextCall = z.output<typeof contextCall>;
