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
    format: z.enum(fieldFormats).optional().describe("What the values mean. It decides how they are validated."),
    required: z.boolean().default(false).describe("Every record must have a value."),
    default: z.unknown().optional().describe("The value of a new record if the caller gives none."),
    description: z.string().optional().describe("What the field is for."),
    help_text: z.string().optional().describe("A hint shown beside the input."),
    unique: z.boolean().optional().describe("No two records hold the same value."),
    indexed: z.boolean().optional().describe("Whether there is an index, so that filters on the field stay fast."),
    values: z.array(z.string()).optional().describe("The choices of an `enum` or `multi-select` field."),
    restricted: z
      .boolean()
      .optional()
      .describe("Only the listed `values` are accepted. Otherwise they are suggestions."),
    schema: z.string().optional().describe("The api_name of the object that a lookup refers to."),
    sensitive: z.boolean().optional().describe("Never echoed in errors or logs."),
    encrypted: z.boolean().optional().describe("Stored encrypted."),
    pii: z.boolean().optional().describe("Identifies a person."),
    phi: z.boolean().optional().describe("Health data."),
    app: z.string().optional().describe("The app that installed the field."),
    system: z.boolean().optional().describe("Kept by the platform. Every object has it."),
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
      .describe("The operations that it applies to."),
    condition: z.string().describe("CEL over `record`, `old`, `user` and `now`. The record is refused if it is true."),
    error_message: z.string().describe("The message for the caller."),
    error_field: z.string().optional().describe("The field that the message is about."),
  })
  .meta({ id: "ValidationRule" });

export const objectSchema = z
  .object({
    id: z.string().min(1).describe("An opaque identifier."),
    api_name: z.string().min(1).max(80).describe("The object's name in paths and queries."),
    name: z.string().min(1).max(255).describe("The object's label."),
    description: z.string().nullable().default(null).describe("What its records are."),
    app: z.string().nullable().default(null).describe("The app that installed the object."),
    ownership: z.boolean().default(true).describe("Its records belong to a user."),
    exclusive_ownership: z.boolean().default(false).describe("Its records cannot be shared."),
    junction_object: z.boolean().default(false).describe("It only connects records of other objects."),
    relates_to_any_object: z.boolean().default(false).describe("Its records may relate to a record of any object."),
    icon: z.string().nullable().default(null).describe("The name of an icon."),
    color: z.string().nullable().default(null).describe("A CSS colour."),
    custom: z.boolean().default(true).describe("False for the standard objects, which cannot be deleted."),
    properties: z.record(z.string(), field).describe("Its fields by api_name; the system fields come first."),
    required: z.array(z.string()).default([]).describe("The fields that every record must have."),
    validation_rules: z
      .array(validationRule)
      .default([])
      .describe("Rules that records must satisfy when they are written."),
  })
  .meta({ id: "ObjectSchema" });
