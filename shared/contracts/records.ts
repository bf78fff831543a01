import * as z from "zod";
import { id, objectName, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";
import { DEFAULT_PAGE, MAX_BATCH, MAX_PAGE, record, recordChange, recordFields } from "./record.ts";

const oneOrMany = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).min(1).max(MAX_BATCH)]);

const object = z.object({ object: objectName });
const objectAndId = z.object({ object: objectName, id: id.describe("The record's id.") });

const deleted = z
  .object({ deleted: z.array(z.string()).describe("The ids of the deleted records.") })
  .meta({ id: "DeletedRecords" });

const truncated = {
  "X-Truncated": "`true` if the reply was cut at 5 MB. `Link` has the rest.",
};

const reserved =
  "Objects with routes of their own (`sandbox`, `schemas`) are refused with 400, and so are operations that an " +
  "object does not support.";

const protectedObjects =
  "Nobody may write what the platform records itself (403): `log`, `email_message`, `sms_message`, `notification` " +
  "and `usage_record` records, and the status of a `document`; a `scheduled_item` can be set to `Queued` and " +
  "`Cancelled` only (422). Only administrators write " +
  "`role`, `permission`, `function`, `record_trigger`, `automation`, `template`, `notification_setting`, " +
  "`auth_credential`, `app_metadata` and `value_list` records.";

/** Of the triggers that a write sets off. */
const triggerFaults = ["conflict", "too_many_functions", "dependency_unavailable"] as const;

const deleteFaults = [
  "reserved_object",
  "forbidden",
  "object_not_found",
  "record_not_found",
  "duplicate_value",
  "last_owner",
  "in_use",
  ...triggerFaults,
] as const;

const changeFaults = [
  "reserved_object",
  "forbidden",
  "object_not_found",
  "record_not_found",
  "duplicate_value",
  "last_owner",
  "in_use",
  ...triggerFaults,
] as const;

export const createRecords = defineContract({
  operation: "createRecords",
  area: "records",
  method: "POST",
  path: "/v1/object/{object}",
  access: "user",
  summary: "Create one record or up to 500",
  description: `A record, or an array of them, which is checked whole and written all or nothing. Every failure is reported at once, with the index of its record. ${protectedObjects} ${reserved}`,
  request: { path: object, body: oneOrMany(recordFields) },
  replies: {
    201: {
      description: "The created records: an object if one was sent, an array if an array was sent.",
      body: z.union([z.array(record), record]),
    },
  },
  faults: ["reserved_object", "forbidden", "object_not_found", "duplicate_value", ...triggerFaults],
  idempotent: true,
});

export const getRecord = defineContract({
  operation: "getRecord",
  area: "records",
  method: "GET",
  path: "/v1/object/{object}/{id}",
  access: "user",
  summary: "Read one record",
  description: reserved,
  request: { path: objectAndId },
  replies: { 200: { description: "The record.", body: record } },
  faults: ["reserved_object", "forbidden", "object_not_found", "record_not_found", "dependency_unavailable"],
});

const historyEntry = z
  .object({
    at: timestamp,
    by: z
      .object({ id: z.string(), schema: z.string(), name: z.string() })
      .nullable()
      .describe("Who did it. Null for the platform."),
    action: z.string().describe("`created`, `updated` or `deleted`."),
    changes: z
      .record(z.string(), z.unknown())
      .describe("`{field: {from, to}}`. `{hidden: true}` stands for secret values, `{cut: true}` for large ones."),
    request_id: z.string().nullable().describe("The same in all entries of one request."),
  })
  .meta({ id: "HistoryEntry" });

export const getRecordHistory = defineContract({
  operation: "getRecordHistory",
  area: "records",
  method: "GET",
  path: "/v1/object/{object}/{id}/history",
  access: "user",
  summary: "Read the history of a record",
  description:
    "Who changed the record when, newest first, for those who may read the record. Fields that the caller may not read are left out.",
  request: {
    path: objectAndId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe("The most entries to give."),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe("The number of entries to skip."),
    }),
  },
  replies: { 200: { description: "The entries.", body: z.array(historyEntry), headers: { ...truncated } } },
  faults: ["reserved_object", "forbidden", "object_not_found", "record_not_found", "too_many_queries"],
});

export const listRecords = defineContract({
  operation: "listRecords",
  area: "records",
  method: "GET",
  path: "/v1/object/{object}",
  access: "user",
  summary: "List an object's records",
  description: `Page by page, in the order of creation unless \`order_by\` says otherwise. The queries of \`/v1/query\` can filter. ${reserved}`,
  request: {
    path: object,
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_PAGE)
        .default(DEFAULT_PAGE)
        .describe("The maximum number of records.")
        .meta({ examples: [50] }),
      offset: z.coerce.number().int().min(0).max(10_000_000).default(0).describe("The number of records to skip."),
      order_by: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .describe(
          "Fields to sort by, separated by commas; `-name` or `name desc` descends. Records without a value come " +
            "first. A lookup is sorted by its name, and cannot be sorted by if the caller may not see those names.",
        )
        .meta({ examples: ["-created_date"] }),
      count: z
        .stringbool()
        .default(true)
        .describe("Whether to count the records on all pages. `false` saves the time if nobody needs the number."),
    }),
  },
  replies: {
    200: {
      description: "The records.",
      body: z.array(record),
      headers: {
        "X-Total-Count": "The number of records on all pages; absent with `count=false`.",
        "X-Total-At-Least":
          "`true` if there are more records than `X-Total-Count` says: for callers who see some records of the object " +
          "only, counting ends 10,000 records after the page.",
        Link: "The next and the previous page (RFC 8288).",
        ...truncated,
      },
    },
  },
  faults: ["reserved_object", "forbidden", "object_not_found", "too_many_queries", "dependency_unavailable"],
});

export const updateRecords = defineContract({
  operation: "updateRecords",
  area: "records",
  method: "PATCH",
  path: "/v1/object/{object}",
  access: "user",
  summary: "Change one record or up to 500",
  description: `A record with its \`id\`, or an array of them, which is checked whole and written all or nothing. Only the fields that are sent are changed; null takes a value away. ${reserved}`,
  request: { path: object, body: oneOrMany(recordChange) },
  replies: {
    200: {
      description: "The changed records: an object if one was sent, an array if an array was sent.",
      body: z.union([z.array(record), record]),
      headers: { "X-Truncated": "`true` if the reply was cut at 5 MB. All records were changed nevertheless." },
    },
  },
  faults: [...changeFaults],
});

export const updateRecord = defineContract({
  operation: "updateRecord",
  area: "records",
  method: "PATCH",
  path: "/v1/object/{object}/{id}",
  access: "user",
  summary: "Change one record",
  description: `Only the fields that are sent are changed; null takes a value away. A reference that the record holds already may be sent back, also if its record was deleted or you may not read it. ${reserved}`,
  request: { path: objectAndId, body: recordFields },
  replies: { 200: { description: "The changed record.", body: record } },
  faults: [...changeFaults],
});

export const deleteRecord = defineContract({
  operation: "deleteRecord",
  area: "records",
  method: "DELETE",
  path: "/v1/object/{object}/{id}",
  access: "user",
  summary: "Delete one record",
  description: `Lookups that point to it keep its id and its last name. ${reserved}`,
  request: { path: objectAndId },
  replies: { 200: { description: "The record is deleted.", body: deleted } },
  faults: [...deleteFaults],
});

export const deleteRecords = defineContract({
  operation: "deleteRecords",
  area: "records",
  method: "DELETE",
  path: "/v1/object/{object}",
  access: "user",
  summary: "Delete up to 500 records",
  description: `All or nothing: one unknown id, and none is deleted. ${reserved}`,
  request: {
    path: object,
    query: z.object({
      ids: z
        .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(id).max(MAX_BATCH).default([]))
        .describe("The records to delete, at least one. Repeat the parameter: `?ids=a&ids=b`.")
        .meta({ type: "array", items: { type: "string" }, minItems: 1, maxItems: MAX_BATCH }),
    }),
  },
  replies: { 200: { description: "The records are deleted.", body: deleted } },
  faults: [...deleteFaults],
});
