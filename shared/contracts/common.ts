import * as z from "zod";

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .describe("A date and time: ISO 8601, UTC, with milliseconds and Z.")
  .meta({ examples: ["2026-01-31T09:30:00.000Z"] });

export const id = z.string().min(1).max(200).describe("An opaque identifier.");

const LONGEST_OBJECT_NAME = 80;

/** Whether an object can have this name. Other names need no lookup. */
export const isObjectName = (name: string): boolean => name.length > 0 && name.length <= LONGEST_OBJECT_NAME;

export const objectName = z
  .string()
  .min(1)
  .max(LONGEST_OBJECT_NAME)
  .describe("The api_name of an object, case-insensitive.")
  .meta({ examples: ["lead"] });

/** One issue of a request: its position, what was expected, and the value. */
const validationIssue = z
  .object({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .describe('Where: "body", "query", "path" or "headers", then the keys and indexes that lead to the value.'),
    msg: z.string().describe("What was expected, in a sentence."),
    type: z.string().describe("The kind of failure, for programs."),
    input: z.unknown().optional().describe("The refused value, if it is small and not secret."),
    ctx: z.record(z.string(), z.unknown()).optional().describe("Facts about the failure, such as line and column."),
  })
  .meta({ id: "ValidationIssue" });

export const httpValidationError = z
  .object({
    detail: z.array(validationIssue).min(1).describe("All issues of the request, at most 1,000."),
    code: z.literal("validation_failed"),
    request_id: z.string().describe("Quote it when you ask for help."),
  })
  .meta({ id: "HTTPValidationError" });

export const errorBody = z
  .object({
    detail: z.string().describe("A sentence for people."),
    code: z.string().describe("The kind of error, for programs."),
    request_id: z.string().describe("Quote it when you ask for help."),
  })
  .meta({ id: "Error" });
