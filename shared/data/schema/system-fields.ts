import type { Field } from "./document.ts";

const moment = (api_name: string, name: string, description: string): Field => ({
  api_name,
  name,
  type: "string",
  format: "date-time",
  required: true,
  indexed: true,
  description,
  system: true,
});

const person = (api_name: string, name: string, description: string): Field => ({
  api_name,
  name,
  type: "json",
  format: "lookup",
  schema: "user",
  required: true,
  description,
  system: true,
});

/** The fields that every record of every object has, in the order in which they are answered. */
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
  created_date: moment("created_date", "Created", "When the record was created."),
  modified_date: moment("modified_date", "Modified", "When the record was last changed."),
  created_by: person("created_by", "Created by", "Who created the record."),
  modified_by: person("modified_by", "Modified by", "Who changed the record last."),
  owner: {
    ...person("owner", "Owner", "Whose record it is; whoever creates it unless another user is named."),
    indexed: true,
  },
  // Stored and checked, but no decision on access reads it until records can be shared.
  shared_with: {
    api_name: "shared_with",
    name: "Shared with",
    type: "list",
    required: false,
    description: 'Who else may use the record: `[{user, access: "read" | "edit" | "delete"}]`.',
    system: true,
  },
};

/** Set by the platform alone; `owner` and `shared_with` may be set by callers. */
export const readOnlySystemFields: ReadonlySet<string> = new Set([
  "id",
  "created_date",
  "modified_date",
  "created_by",
  "modified_by",
]);
