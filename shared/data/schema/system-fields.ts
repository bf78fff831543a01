import type { Field } from "./object-schema.ts";

const dateTime = (api_name: string, name: string, description: string): Field => ({
  api_name,
  name,
  type: "string",
  format: "date-time",
  required: true,
  indexed: true,
  description,
  system: true,
});

const userReference = (api_name: string, name: string, description: string): Field => ({
  api_name,
  name,
  type: "json",
  format: "lookup",
  schema: "user",
  required: true,
  description,
  system: true,
});

/** The fields that every record of every object has, in the order of replies. */
export const systemFields: Readonly<Record<string, Field>> = {
  id: {
    api_name: "id",
    name: "Id",
    type: "string",
    required: true,
    unique: true,
    description: "The record's opaque identifier.",
    system: true,
  },
  created_date: dateTime("created_date", "Created", "When the record was created."),
  modified_date: dateTime("modified_date", "Modified", "When the record was last changed."),
  created_by: userReference("created_by", "Created by", "Who created the record."),
  modified_by: userReference("modified_by", "Modified by", "Who changed the record last."),
  owner: {
    ...userReference("owner", "Owner", "The user to whom the record belongs. By default the user who creates it."),
    indexed: true,
  },
  shared_with: {
    api_name: "shared_with",
    name: "Shared with",
    type: "list",
    required: false,
    description: 'Who else may use the record: `[{user or role, access: "read" | "edit" | "delete"}]`.',
    system: true,
  },
};

/** Set by the platform alone. Callers may set `owner` and `shared_with`. */
export const readOnlySystemFields: ReadonlySet<string> = new Set([
  "id",
  "created_date",
  "modified_date",
  "created_by",
  "modified_by",
]);
