import * as z from "zod";
import { defineContract } from "#contracts/contract";

/** A recursive schema, such as of folders. */
const folder = z
  .object({
    id: z.string(),
    get children() {
      return z.array(folder);
    },
  })
  .meta({ id: "Folder" });

/** With a default, a request may lack the field and a reply never does. */
const colour = z.object({ name: z.string(), shade: z.int().default(5) }).meta({ id: "Colour" });

const paint = z.object({ colour }).meta({ id: "Paint" });

/** Example contracts with features that the platform's own may not use yet. */
const repaint = defineContract({
  operation: "repaint",
  area: "records",
  method: "POST",
  path: "/v1/folders/{folder_id}/paint",
  access: "admin",
  summary: "Paint <b>a folder</b> & what's in it",
  description: 'First paragraph with `code` and a <b title="x">tag</b>.\n\nSecond paragraph.',
  request: {
    path: z.object({
      folder_id: z
        .string()
        .describe("Which folder.")
        .meta({ examples: ["a/b'c"] }),
    }),
    query: z.object({
      dry_run: z.stringbool().optional().describe("Only look.").meta({ type: "boolean" }),
      ids: z
        .union([z.string(), z.array(z.string())])
        .describe("One or more.")
        .meta({ examples: ["a b"] }),
    }),
    headers: z.object({ "x-reason": z.string().describe("Why."), authorization: z.string().optional() }),
    body: paint,
    bodyTypes: ["application/json", "application/x-www-form-urlencoded"],
  },
  replies: {
    201: { description: "Painted.", body: paint, headers: { Location: "Where it is." } },
    204: { description: "Nothing to paint." },
  },
  faults: ["record_not_found", "duplicate_value"],
  idempotent: true,
});

const readFolder = defineContract({
  operation: "readFolder",
  area: "records",
  method: "GET",
  path: "/v1/folders/{folder_id}",
  access: "user",
  summary: "Read a folder",
  request: { path: z.object({ folder_id: z.string().describe("Which folder.") }) },
  replies: {
    200: {
      description: "The folder.",
      body: z.object({ folder, read_at: z.date(), size: z.string().transform(Number).pipe(z.number()) }),
    },
  },
  faults: [],
});

const painters = defineContract({
  operation: "painters",
  area: "records",
  method: "PUT",
  path: "/v1/folders",
  access: "public",
  summary: "Replace a setting",
  request: { body: z.strictObject({ on: z.boolean() }).optional() },
  replies: { 200: { description: "Done.", body: z.string(), contentType: "text/plain" } },
  faults: ["too_many_attempts"],
});

export const exampleContracts = [painters, readFolder, repaint];
