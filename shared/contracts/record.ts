import * as z from "zod";

export const MAX_BATCH = 500;
export const MAX_PAGE = 1000;
export const DEFAULT_PAGE = 100;

const reference = {
  type: "object",
  properties: {
    id: { type: "string" },
    schema: { type: "string", description: "The object of the record." },
    name: {
      type: ["string", "null"],
      description:
        "The record's name when the reference was written. Absent if the caller may not read that object or its " +
        "names. Names of users are always present.",
    },
  },
};
const moment = { type: "string", format: "date-time" };

/** The object's own fields are described by its schema (`GET /v1/schema/{object}`). A field without a value is null. */
export const record = z.looseObject({ id: z.string() }).meta({
  id: "Record",
  description:
    "The system fields and the object's own fields (`GET /v1/schema/{object}`) that the caller may read. A field " +
    "without a value is null. A sensitive field that is masked for the caller is `***` if it is a text, else null. " +
    "A lookup is `{id, schema, name}`, without `name` if the caller may not read the " +
    "object that it refers to.",
  properties: {
    id: { type: "string", description: "An opaque identifier." },
    created_date: moment,
    modified_date: moment,
    created_by: reference,
    modified_by: reference,
    owner: reference,
    shared_with: { type: "array", items: { type: "object" } },
  },
});

// The contract accepts anything, because the object's schema decides. The records library also refuses what is no
// record, so that one reply reports all issues, after the check of reserved objects.
export const recordFields = z.unknown().meta({
  id: "RecordFields",
  type: "object",
  additionalProperties: true,
  description:
    "Fields by api_name. `id`, `created_date`, `modified_date`, `created_by` and `modified_by` cannot be set. A " +
    "lookup is set by its id or `{id}`. Null means no value.",
  examples: [{ name: "Ada Lovelace", email: "ada@example.com" }],
});

export const recordChange = z.unknown().meta({
  id: "RecordChange",
  type: "object",
  additionalProperties: true,
  description: "The `id` of the record and the fields to change. Null removes a value.",
  required: ["id"],
  properties: { id: { type: "string", description: "The record to change." } },
  examples: [{ id: "019a0000-0000-7000-8000-000000000000", name: "Ada King" }],
});
