/** Files of an organization: uploads and downloads. */
import * as z from "zod";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";
import { record } from "./record.ts";

/** In bytes. Lambda takes 6 MB, and Base64 makes a third more of them. */
export const LARGEST_FILE = 4 * 1024 * 1024;

const types =
  "Allowed are PDF, PNG, JPEG, GIF, WebP, TIFF, HEIC, ZIP, documents of Office and OpenDocument, MP3, MP4, WAV, Ogg, and text in UTF-8 " +
  "(plain, CSV, Markdown, JSON, calendars, business cards, mails). The type is taken from the content. Programs, HTML and SVG are " +
  "refused (415).";

const uploadQuery = z.object({
  name: z.string().min(1).max(1000).describe("The name of the file, such as `offer.pdf`. It is cleaned."),
  related_to: z
    .string()
    .regex(/^[^/]{1,80}\/[^/]{1,200}$/, "Expected an object and an id: company/0198…")
    .optional()
    .describe("The record that it belongs to: the api_name of its object, a slash, and its id."),
});

export const uploadDocument = defineContract({
  operation: "uploadDocument",
  area: "documents",
  method: "POST",
  path: "/v1/documents",
  access: "user",
  summary: "Upload a file",
  description: `The body is the file itself, at most 4 MiB. It becomes a \`document\` record with \`file: {key, name, type, size, sha256}\`, which is read, shared and deleted like other records. ${types} Text that is not UTF-8 is sent as \`application/octet-stream\` and refused unless its format is one of these.`,
  request: {
    query: uploadQuery,
    rawBody: { "*": "The file." },
    maxBodyBytes: LARGEST_FILE,
  },
  replies: { 201: { description: "The document.", body: record } },
  faults: [
    "reserved_object",
    "forbidden",
    "object_not_found",
    "duplicate_value",
    "storage_full",
    "conflict",
    "too_many_functions",
    "dependency_unavailable",
  ],
  idempotent: true,
});

export const getDocumentContent = defineContract({
  operation: "getDocumentContent",
  area: "documents",
  method: "GET",
  path: "/v1/documents/{id}/content",
  access: "user",
  summary: "Download a file",
  description:
    "The bytes of a document's file, always as an attachment of the type `application/octet-stream`, so that no browser shows or runs " +
    "it. Its real type is in the record. The caller needs to see the record and its field `file`.",
  request: { path: z.object({ id: id.describe("The document's id.") }) },
  replies: {
    200: {
      description: "The file.",
      bytes: true,
      uncompressed: true,
      contentType: "application/octet-stream",
      headers: {
        "Content-Disposition": "`attachment`, with the name of the file.",
        "Content-Security-Policy": "Forbids everything, should a browser show the file nevertheless.",
      },
    },
  },
  faults: ["forbidden", "object_not_found", "record_not_found", "reserved_object", "dependency_unavailable"],
});
