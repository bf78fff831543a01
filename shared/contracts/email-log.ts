import * as z from "zod";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";
import { foundEmail } from "./email-bodies.ts";
import { messageStatus } from "./message-status.ts";

const shared = { area: "email-services", method: "POST" } as const;

const messageId = z.object({ message_id: id.describe("The id of an `email_message` record.") });

// Records are checked when they are written.
const message = z
  .looseObject({ id: z.string(), status: messageStatus.nullable().optional() })
  .describe("The record, with `events: [{type, at, detail}]` and its content.")
  .meta({ id: "EmailMessage" });

export const searchEmailMessages = defineContract({
  ...shared,
  operation: "searchEmailMessages",
  path: "/v1/email-services/emailvendor/messages/search",
  access: "user",
  reads: true,
  summary: "Search the emails of the organization",
  description:
    "Sent, captured and received emails that the caller may read, newest first. `query` is a condition as after WHERE in " +
    "`GET /v1/query`, over the fields of `email_message`.",
  request: {
    body: z
      .strictObject({
        query: z.string().max(65_536).optional().describe("A condition. Without it all emails are found."),
        limit: z.int().min(1).max(1_000).default(100),
        cursor: z
          .string()
          .min(1)
          .max(4_096)
          .optional()
          .describe("`next_cursor` of the page before, with the same query."),
      })
      .optional()
      .nullable()
      .meta({
        id: "EmailLogSearchRequest",
        examples: [{ query: "status = 'delivered' AND to_email = 'ada@example.com'", limit: 20 }],
      }),
  },
  replies: {
    200: {
      description: "One page.",
      body: z
        .object({
          messages: z.array(foundEmail),
          next_cursor: z.string().optional().describe("Only if there are more."),
        })
        .meta({ id: "EmailLogSearchResponse" }),
    },
  },
  faults: ["forbidden", "too_many_queries", "dependency_unavailable"],
});

export const getEmailMessage = defineContract({
  ...shared,
  operation: "getEmailMessage",
  path: "/v1/email-services/emailvendor/messages/{message_id}",
  access: "user",
  reads: true,
  summary: "Read an email with its events",
  request: { path: messageId },
  replies: { 200: { description: "The message.", body: message } },
  faults: ["forbidden", "message_not_found"],
});
