import * as z from "zod";
import { defineContract } from "./contract.ts";

const stripHtmlRequest = z
  .strictObject({
    html: z.string().describe("A document or a fragment. The whole body may have 1 MiB."),
    max_length: z
      .int()
      .min(1)
      .max(1_048_576)
      .optional()
      .describe("The most characters of the text. It is cut after a whole character, as people count them."),
    preserve_links: z
      .boolean()
      .default(true)
      .describe("Show the address of each link behind its text, in brackets. Only http, https, mailto and tel."),
  })
  .meta({
    id: "StripHtmlRequest",
    examples: [{ html: "<h1>Hello</h1><p>See <a href='https://example.com'>us</a>.</p>", max_length: 200 }],
  });

const stripHtmlResponse = z
  .object({
    text: z.string().describe("Lines end with a line feed."),
    truncated: z.boolean().describe("The text was cut at `max_length`."),
  })
  .meta({ id: "StripHtmlResponse" });

export const stripHtml = defineContract({
  operation: "stripHtml",
  area: "email-services",
  method: "POST",
  path: "/v1/email-services/strip-html",
  access: "user",
  summary: "Make text of HTML",
  description:
    "The text that a person would read. Scripts, styles, hidden parts and tracking pixels are left out; images become their " +
    "`alt` text. Paragraphs, lists, quotes and links are kept, and cells of a row that are one line are separated by bars. " +
    "Elements more than 100 levels deep lose their form but not their text.",
  request: { body: stripHtmlRequest },
  replies: { 200: { description: "The text.", body: stripHtmlResponse } },
  faults: [],
  reads: true,
});
