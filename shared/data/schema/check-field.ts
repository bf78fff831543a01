import type { Field } from "./object-schema.ts";
import { type ValueLists, withChoices } from "./value-lists.ts";
import { fieldValue } from "./values/field-value.ts";
import { fail, newValidationReport, type ValidationContext, within } from "./values/validation.ts";

type Type = Field["type"];
type Format = NonNullable<Field["format"]>;

/** The types that a format may have. The first one is named in messages. */
const typesOf: Readonly<Record<Format, readonly Type[]>> = {
  "text-area": ["string"],
  html: ["string"],
  markdown: ["string"],
  email: ["string"],
  phone: ["string"],
  url: ["string"],
  date: ["string"],
  "date-time": ["string"],
  time: ["string"],
  currency: ["number"],
  percent: ["number"],
  enum: ["string"],
  "multi-select": ["list"],
  lookup: ["json"],
  lookup_list: ["list"],
  compound_lookup: ["json"],
  address: ["json"],
  json: ["json"],
  "auto-number": ["string", "number"],
};

const choiceFormats: ReadonlySet<string | undefined> = new Set(["enum", "multi-select"]);
const pointingFormats: ReadonlySet<string | undefined> = new Set(["lookup", "lookup_list"]);

/** Formats whose values are too long or have no single value to be compared. */
const incomparable: ReadonlySet<string | undefined> = new Set(["text-area", "html", "markdown", "lookup_list"]);

const checkType = ({ type, format }: Field, context: ValidationContext): void => {
  const types = format === undefined ? [type] : typesOf[format];
  if (types.includes(type)) return;
  fail(within(context, "type"), "field_type", `The format "${format}" needs the type "${types[0]}".`, type);
};

/** What the organization has that a field may name. */
export interface Known {
  /** Whether there is an object with this api_name. */
  readonly object: (apiName: string) => boolean;
  /** The value lists that the checked fields name, as far as they exist. */
  readonly lists: ValueLists;
}

const checkList = ({ format, values, global_list_name: name }: Field, context: ValidationContext, known: Known) => {
  const inner = within(context, "global_list_name");
  if (!choiceFormats.has(format))
    fail(inner, "field_values", 'Only "enum" and "multi-select" fields have a value list.');
  else if (values !== undefined)
    fail(inner, "field_values", "A field has either values of its own or a value list, not both.");
  else if (name !== undefined && !known.lists.has(name))
    fail(inner, "unknown_list", `There is no value list "${name}". POST /v1/object/value_list creates one.`, name);
};

const checkChoices = (field: Field, context: ValidationContext, known: Known): void => {
  const { format, values, restricted, global_list_name } = field;
  if (global_list_name !== undefined) {
    checkList(field, context, known);
    return;
  }
  const inner = within(context, "values");
  if (values === undefined) {
    if (restricted === true) fail(inner, "missing", "A restricted field needs the values that it accepts.");
    return;
  }
  if (!choiceFormats.has(format)) fail(inner, "field_values", 'Only "enum" and "multi-select" fields have values.');
  const twice = values.findIndex((value, index) => values.indexOf(value) < index);
  if (twice >= 0) fail(within(inner, twice), "duplicate", "This value is named twice.", values[twice]);
};

const checkTarget = ({ format, schema }: Field, context: ValidationContext, known: Known): void => {
  const inner = within(context, "schema");
  if (!pointingFormats.has(format)) {
    if (schema !== undefined) fail(inner, "field_schema", 'Only "lookup" and "lookup_list" fields have a schema.');
  } else if (schema === undefined) {
    fail(inner, "missing", "A lookup needs the api_name of the object that it points to.");
  } else if (!known.object(schema)) {
    fail(inner, "unknown_object", `There is no object "${schema}".`, schema);
  }
};

const checkIndex = ({ type, format, unique, indexed }: Field, context: ValidationContext): void => {
  const comparable = (type === "string" || type === "number" || format === "lookup") && !incomparable.has(format);
  for (const [key, wanted] of Object.entries({ unique, indexed })) {
    if (wanted === true && !comparable && !(key === "indexed" && type !== "json"))
      fail(within(context, key), "field_index", "The values of this field cannot be compared by an index.");
  }
};

const checkDefault = (field: Field, context: ValidationContext, { lists }: Known): void => {
  if (field.default === undefined || field.default === null) return;
  const inner = within(context, "default");
  if (field.format === "auto-number") {
    if (field.type === "string" && typeof field.default === "string" && /\{0{1,20}\}/.test(field.default)) return;
    fail(inner, "auto_number", 'The default of an "auto-number" text is its pattern, such as "INV-{0000}".');
    return;
  }
  const report = newValidationReport();
  fieldValue(structuredClone(field.default), withChoices(field, lists), { ...inner, report });
  context.report.issues.push(...report.issues);
  if (report.references.length > 0) fail(inner, "field_default", "A reference has no default.");
};

/** Texts that are validated when they are written, and then only compared as a whole. */
const encryptable: ReadonlySet<string | undefined> = new Set([
  undefined,
  "text-area",
  "html",
  "markdown",
  "email",
  "phone",
  "url",
]);

const checkEncryption = ({ api_name, type, format, encrypted }: Field, context: ValidationContext): void => {
  if (encrypted !== true) return;
  const inner = within(context, "encrypted");
  if (type !== "string" || !encryptable.has(format)) {
    const msg =
      "Only texts can be encrypted: strings without a format, text-area, html, markdown, email, phone and url.";
    fail(inner, "not_supported", msg);
  } else if (api_name === "name") {
    fail(inner, "not_supported", "The name cannot be encrypted, because references show it.");
  }
};

/** Adds an issue for each setting that does not go with the others. */
export const checkField = (field: Field, context: ValidationContext, known: Known): void => {
  checkType(field, context);
  checkChoices(field, context, known);
  checkTarget(field, context, known);
  checkIndex(field, context);
  checkEncryption(field, context);
  // The default is checked against the type, which must be right first.
  if (context.report.issues.length === 0) checkDefault(field, context, known);
};
