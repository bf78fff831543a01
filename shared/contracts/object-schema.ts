import * as z from "zod";

/** What the api_name of a new object or field looks like. */
export const newApiName = z
  .string()
  .max(80)
  .regex(/^[a-z][a-z0-9_]*$/, "Expected a lower-case letter, then lower-case letters, digits and underscores.")
  // Every JavaScript object has a property of this name.
  .refine((name) => name !== "constructor", "This name is reserved.");

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

/** In characters, of one value of a picklist. */
export const LONGEST_CHOICE = 255;
/** Values of a picklist. */
export const MOST_CHOICES = 1_000;

const fieldSettings = {
  name: z.string().min(1).max(255).describe("The field's label."),
  type: z.enum(fieldTypes).describe("The JSON type of its values."),
  format: z.enum(fieldFormats).optional().describe("What the values mean. It decides how they are validated."),
  default: z.unknown().optional().describe("The value of a new record if the caller gives none."),
  description: z.string().max(4_000).optional().describe("What the field is for."),
  help_text: z.string().max(1_000).optional().describe("A hint shown beside the input."),
  unique: z.boolean().optional().describe("No two records hold the same value."),
  indexed: z.boolean().optional().describe("Whether there is an index, so that filters on the field stay fast."),
  values: z
    .array(z.string().min(1).max(LONGEST_CHOICE))
    .max(MOST_CHOICES)
    .optional()
    .describe("The choices of an `enum` or `multi-select` field. Replies show those of its value list, if it has one."),
  global_list_name: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("The name of the `value_list` record whose values are the choices, in place of own `values`."),
  restricted: z
    .boolean()
    .optional()
    .describe("Only the listed `values` are accepted, its own or those of its list. Otherwise they are suggestions."),
  schema: z.string().max(80).optional().describe("The api_name of the object that a lookup refers to."),
  sensitive: z
    .boolean()
    .optional()
    .describe(
      "Its values are shown only to administrators and callers with the scope `sensitive:read`, and never in errors, " +
        "logs and the audit trail. Others see `***` for texts and null for other values.",
    ),
  encrypted: z
    .boolean()
    .optional()
    .describe(
      "Its values are stored encrypted. Only for texts. Queries compare them by `=`, `!=`, `IN` and `IS NULL`, the first " +
        "three if the field is `indexed` or `unique`, and show `***`. Set it when the field is created: it can change " +
        "only while no record holds a value.",
    ),
  pii: z.boolean().optional().describe("Identifies a person."),
  phi: z.boolean().optional().describe("Health data."),
  app: z.string().max(200).optional().describe("The app that installed the field."),
};

const required = z.boolean().describe("Every record must have a value.");

export const field = z
  .object({
    api_name: z.string().min(1).max(80).describe("The field's key in records and its name in queries."),
    ...fieldSettings,
    required: required.default(false),
    index_status: z
      .enum(["building", "ready", "failed"])
      .optional()
      .describe(
        "Whether the index of a unique or indexed field or of a lookup is there. Until it is `ready`, filters on the " +
          "field may be slow, and no uniqueness is promised. Set by the platform.",
      ),
    index_failure: z.string().optional().describe("Why the index could not be built. Changing the field tries again."),
    system: z.boolean().optional().describe("Kept by the platform. Every object has it."),
  })
  .meta({ id: "Field" });

const newField = z.strictObject({
  ...fieldSettings,
  api_name: newApiName.optional().describe("The field's key in records. By default it is made from `name`."),
  required: required.optional(),
});

const objectId = z.string().min(1).max(200).describe("The api_name or the id of the object.");

export const fieldCreateRequest = newField.extend({ object_id: objectId }).meta({ id: "FieldCreateRequest" });

export const fieldUpdateRequest = newField
  .partial()
  .extend({ object_id: objectId, api_name: z.string().min(1).max(80).describe("The field to change.") })
  .meta({ id: "FieldUpdateRequest" });

/** A rule in CEL: a record for which the condition is true is refused. */
export const validationRule = z
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

const objectSettings = {
  description: z.string().max(4_000).nullable().describe("What its records are."),
  plural_name: z.string().min(1).max(255).nullable().describe("The label of several records."),
  app: z.string().max(200).nullable().describe("The app that installed the object."),
  ownership: z.boolean().describe("Its records belong to a user."),
  exclusive_ownership: z.boolean().describe("Its records cannot be shared."),
  junction_object: z.boolean().describe("It only connects records of other objects."),
  relates_to_any_object: z.boolean().describe("Its records may relate to a record of any object."),
  icon: z.string().max(100).nullable().describe("The name of an icon."),
  color: z.string().max(100).nullable().describe("A CSS colour."),
};

const label = z.string().min(1).max(255).describe("The object's label.");

export const objectSchema = z
  .object({
    id: z.string().min(1).describe("An opaque identifier."),
    api_name: z.string().min(1).max(80).describe("The object's name in paths and queries."),
    name: label,
    description: objectSettings.description.default(null),
    plural_name: objectSettings.plural_name.default(null),
    app: objectSettings.app.default(null),
    ownership: objectSettings.ownership.default(true),
    exclusive_ownership: objectSettings.exclusive_ownership.default(false),
    junction_object: objectSettings.junction_object.default(false),
    relates_to_any_object: objectSettings.relates_to_any_object.default(false),
    icon: objectSettings.icon.default(null),
    color: objectSettings.color.default(null),
    custom: z.boolean().default(true).describe("False for the standard objects, which cannot be deleted."),
    properties: z.record(z.string(), field).describe("Its fields by api_name; the system fields come first."),
    required: z.array(z.string()).default([]).describe("The fields that every record must have."),
    validation_rules: z
      .array(validationRule)
      .default([])
      .describe("Rules that records must satisfy when they are written."),
  })
  .meta({ id: "ObjectSchema" });

/** Fields of an object, besides those that every object has. */
export const MAX_FIELDS = 500;

export const schemaCreateRequest = z
  .strictObject(objectSettings)
  .partial()
  .extend({
    name: label,
    api_name: newApiName.optional().describe("The object's name in paths. By default it is made from `name`."),
    fields: z
      .array(newField)
      .max(MAX_FIELDS)
      .optional()
      .describe("Its fields. Every object has `name` and the system fields; `name` may be given here to change it."),
  })
  .meta({ id: "SchemaCreateRequest" });

export const schemaUpdateRequest = z
  .strictObject(objectSettings)
  .partial()
  .extend({ id: objectId, name: label.optional() })
  .meta({ id: "SchemaUpdateRequest" });
