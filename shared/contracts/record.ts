import * as z from "zod";

export const MAX_BATCH = 500;
export const MAX_PAGE = 1000;
export const DEFAULT_PAGE = 100;

const reference = {
  type: "object",
  properties: {
    id: { type: "string" },
    schema: { type: "string", description: "The object of the record that is meant." },
    name: {
      type: ["string", "null"],
      description:
        "The record's name when the reference was written. Absent where the caller may not read that object, or its names; users' names are always there.",
    },
  },
};
const moment = { type: "string", format: "date-time" };

/** The object's own fields are in its schema (`GET /v1/schema/{object}`); a field without a value is null. */
export const record = z.looseObject({ id: z.string() }).meta({
  id: "Record",
  description:
    "The system fields and the object's own (`GET /v1/schema/{object}`), as far as the caller may read them. A field without a value is null. A lookup is `{id, schema, name}`, without the name where the caller may not read the object that it points to.",
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

// What fields there are is the tenant's business: the object's schema decides, not the contract. The records library
// also refuses what is no record, so that one answer tells of everything, and reserved objects come before that.
export const recordFields = z.unknown().meta({
  id: "RecordFields",
  type: "object",
  additionalProperties: true,
  description:
    "Fields by api_name. `id`, `created_date`, `modified_date`, `created_by` and `modified_by` cannot be set. A lookup is set by the id or by `{id}`; null means no value.",
  examples: [{ name: "Ada Lovelace", email: "ada@example.com" }],
});

export const recordChange = z.unknown().meta({
  id: "RecordChange",
  type: "object",
  additionalProperties: true,
  description: "The `id` of the record and the fields to change; null takes the value away.",
  required: ["id"],
  properties: { id: { type: "string", description: "The record to change." } },
  examples: [{ id: "019a0000-0000-7000-8000-000000000000", name: "Ada King" }],
});
