import * as z from "zod";

const fieldTypes = ["string", "number", "boolean", "json", "list"] as const;

const fieldFormats = [
  "text-area",
  "html",
  "markdown",
  "email",
  "phone",
  "url",
  "date",
  "date-time",
  "time",
  "currency",
  "percent",
  "enum",
  "multi-select",
  "lookup",
  "lookup_list",
  "compound_lookup",
  "address",
  "json",
  "auto-number",
] as const;

export const field = z
  .object({
    api_name: z.string().min(1).max(80).describe("The field's key in records and its name in queries."),
    name: z.string().min(1).max(255).describe("The field's label."),
    type: z.enum(fieldTypes).describe("The JSON type of its values."),
    format: z.enum(fieldFormats).optional().describe("What the values mean; it decides how they are checked."),
    required: z.boolean().default(false).describe("Every record must have a value."),
    default: z.unknown().optional().describe("The value that a new record gets where the caller gives none."),
    description: z.string().optional().describe("What the field is for."),
    help_text: z.string().optional().describe("A hint shown beside the input."),
    unique: z.boolean().optional().describe("No two records hold the same value."),
    indexed: z.boolean().optional().describe("The database keeps an index, so that filters on it stay fast."),
    values: z.array(z.string()).optional().describe("The choices of an `enum` or `multi-select` field."),
    restricted: z.boolean().optional().describe("Only the listed `values` are accepted, not just suggested."),
    schema: z.string().optional().describe("The api_name of the object that a lookup points to."),
    sensitive: z.boolean().optional().describe("Never echoed in errors or logs."),
    encrypted: z.boolean().optional().describe("Stored encrypted."),
    pii: z.boolean().optional().describe("Identifies a person."),
    phi: z.boolean().optional().describe("Tells something about a person's health."),
    app: z.string().optional().describe("The app that brought the field."),
    system: z.boolean().optional().describe("Kept by the platform; every object has it."),
  })
  .meta({ id: "Field" });

/** A rule in CEL: a record for which the condition is true is refused. */
const validationRule = z
  .object({
    api_name: z.string().describe("The rule's key."),
    name: z.string().describe("The rule's label."),
    description: z.string().optional().describe("What the rule is for."),
    active: z.boolean().default(true).describe("Only active rules are checked."),
    on: z
      .array(z.enum(["create", "update", "delete"]))
      .default(["create", "update"])
      .describe("The operations that it guards."),
    condition: z.string().describe("CEL over `record`, `old`, `user` and `now`; true refuses the record."),
    error_message: z.string().describe("What the caller is told."),
    error_field: z.string().optional().describe("The field that the message is about."),
  })
  .meta({ id: "ValidationRule" });

export const objectSchema = z
  .object({
    id: z.string().min(1).describe("An opaque identifier."),
    api_name: z.string().min(1).max(80).describe("The object's name in paths and queries."),
    name: z.string().min(1).max(255).describe("The object's label."),
    description: z.string().nullable().default(null).describe("What its records are."),
    app: z.string().nullable().default(null).describe("The app that brought the object."),
    ownership: z.boolean().default(true).describe("Its records belong to a user."),
    exclusive_ownership: z.boolean().default(false).describe("Its records cannot be shared."),
    junction_object: z.boolean().default(false).describe("It only connects records of other objects."),
    relates_to_any_object: z.boolean().default(false).describe("Its records may relate to a record of any object."),
    icon: z.string().nullable().default(null).describe("The name of an icon."),
    color: z.string().nullable().default(null).describe("A CSS colour."),
    custom: z.boolean().default(true).describe("False for the standard objects, which cannot be deleted."),
    properties: z.record(z.string(), field).describe("Its fields by api_name; the system fields come first."),
    required: z.array(z.string()).default([]).describe("The fields that every record must have."),
    validation_rules: z.array(validationRule).default([]).describe("What records are checked against when written."),
  })
  .meta({ id: "ObjectSchema" });
