import * as z from "zod";
import { id, objectName } from "./common.ts";
import { defineContract } from "./contract.ts";

/** Characters. Indentation of lists and quotes can make a text longer than its HTML. */
const LONGEST_TEXT = 1_048_576;

const stripHtmlRequest = z
  .strictObject({
    html: z.string().describe("A document or a fragment. The whole body may have 1 MiB."),
    max_length: z
      .int()
      .min(1)
      .max(LONGEST_TEXT)
      .default(LONGEST_TEXT)
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

const liquid = (what: string, max: number) => z.string().max(max).optional().describe(`${what}, in Liquid.`);

const previewTemplateRequest = z
  .strictObject({
    template_id: id.optional().describe("The id of a `template` record, instead of the parts."),
    subject: liquid("The subject", 4_000),
    html: liquid("The HTML part", 524_288),
    text: liquid("The text part; made from the HTML without it", 524_288),
    data: z.record(z.string(), z.unknown()).optional().describe("What the template reads, by name."),
    record: z
      .strictObject({ object: objectName, id })
      .optional()
      .describe(
        "A record that you may read. The template finds it under the name of its object and as `record`, unless `data` has these names.",
      ),
  })
  .superRefine(({ template_id, subject, html, text }, { addIssue }) => {
    const hasParts = [subject, html, text].some((part) => part !== undefined);
    if (hasParts !== (template_id !== undefined)) return;
    const message = "Expected either template_id or at least one of subject, html and text.";
    addIssue({ code: "custom", path: ["template_id"], message });
  })
  .meta({
    id: "PreviewTemplateRequest",
    examples: [{ subject: "Hello {{ contact.name }}", html: "<p>{{ text }}</p>", data: { text: "Good to see you." } }],
  });

const previewTemplateResponse = z
  .object({
    subject: z.string().describe("One line, at most 998 characters."),
    html: z.string().describe("With the rules of `<style>` in the elements. Values are escaped."),
    text: z.string(),
    variables: z.array(z.string()).describe("What the template reads from the data, such as `contact.name`."),
    missing: z
      .array(
        z.object({
          name: z.string(),
          part: z.enum(["subject", "html", "text"]),
          line: z.int().describe("From 1."),
          column: z.int().describe("From 1."),
        }),
      )
      .describe("What it reads and the data do not have. A value of null is there."),
  })
  .meta({ id: "PreviewTemplateResponse" });

export const previewTemplate = defineContract({
  operation: "previewTemplate",
  area: "email-services",
  method: "POST",
  path: "/v1/email-services/preview-template",
  access: "user",
  summary: "Render a template without sending it",
  description:
    "Gives what a mail from the template would contain. A template that does not parse, or that reaches a limit, is a 422 whose " +
    "`ctx` has part, line and column. A template cannot include others, and has 5 seconds and 2,097,152 characters. With styles its " +
    "HTML may have 5,000 elements, 100 levels, and 200,000 pairs of a selector and an element.",
  request: { body: previewTemplateRequest },
  replies: { 200: { description: "The rendered parts.", body: previewTemplateResponse } },
  faults: ["forbidden", "reserved_object", "object_not_found", "record_not_found", "dependency_unavailable"],
  reads: true,
});

export type PreviewTemplateRequest = z.output<typeof previewTemplateRequest>;
