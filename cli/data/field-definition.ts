import { Failure } from "../failure.ts";
import { parseJson } from "../json.ts";

/** What a field's kind says of its type and format. */
const kinds: Readonly<Record<string, { readonly type: string; readonly format?: string }>> = {
  string: { type: "string" },
  text: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  json: { type: "json", format: "json" },
  list: { type: "list" },
  currency: { type: "number", format: "currency" },
  percent: { type: "number", format: "percent" },
  enum: { type: "string", format: "enum" },
  "multi-select": { type: "list", format: "multi-select" },
  lookup: { type: "json", format: "lookup" },
  lookup_list: { type: "list", format: "lookup_list" },
  compound_lookup: { type: "json", format: "compound_lookup" },
  address: { type: "json", format: "address" },
  "auto-number": { type: "string", format: "auto-number" },
  ...Object.fromEntries(
    ["text-area", "html", "markdown", "email", "phone", "url", "date", "date-time", "time"].map((format) => [
      format,
      { type: "string", format },
    ]),
  ),
};

export const KINDS = Object.keys(kinds).join(", ");

const DEFINITION = /^(?<name>[a-z][a-z0-9_]*):(?<kind>[a-z_-]+)(?:\((?<details>.*)\))?(?<required>!)?$/s;

type FieldDefinition = Readonly<Record<string, unknown>>;

const detailsOf = (kind: string, details: string, text: string): FieldDefinition => {
  if (kind === "lookup" || kind === "lookup_list") return { schema: details.trim() };
  if (kind === "auto-number") return { default: details };
  if (kind !== "enum" && kind !== "multi-select")
    throw new Failure("usage", `In the field ${text}: ${kind} has nothing in parentheses.`);
  return { values: details.split("|").map((value) => value.trim()), restricted: true };
};

const labelOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

/**
 * `amount:currency`, `company:lookup(company)!`, `stage:enum(Open|Done)`: the api_name, the kind, what the kind needs,
 * and an exclamation mark for a required field.
 */
export const fieldDefinition = (text: string): FieldDefinition => {
  const { name, kind = "", details, required } = DEFINITION.exec(text)?.groups ?? {};
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (name === undefined || known === undefined) {
    throw new Failure(
      "usage",
      `The field ${text} is not understood. Write it as amount:currency, company:lookup(company)! or stage:enum(Open|Done). Kinds: ${KINDS}.`,
    );
  }
  return {
    api_name: name,
    name: labelOf(name),
    ...known,
    ...(details === undefined ? {} : detailsOf(kind, details, text)),
    ...(required === undefined ? {} : { required: true }),
  };
};

/** Settings of a field that have an option of their own. */
export interface FieldOptions {
  readonly label?: string;
  readonly description?: string;
  readonly helpText?: string;
  readonly default?: string;
  readonly values?: string;
  readonly list?: string;
  readonly required?: boolean;
  readonly restricted?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly sensitive?: boolean;
  readonly encrypted?: boolean;
}

/** The default as JSON, or else as text. */
const defaultOf = (text: string): unknown => {
  const value = parseJson(text);
  return value === undefined ? text : value;
};

export const fieldSettings = (options: FieldOptions): FieldDefinition => ({
  ...(options.label !== undefined && { name: options.label }),
  ...(options.description !== undefined && { description: options.description }),
  ...(options.helpText !== undefined && { help_text: options.helpText }),
  ...(options.default !== undefined && { default: defaultOf(options.default) }),
  ...(options.values !== undefined && { values: options.values.split("|").map((value) => value.trim()) }),
  ...(options.list !== undefined && { global_list_name: options.list }),
  ...(options.required !== undefined && { required: options.required }),
  ...(options.restricted !== undefined && { restricted: options.restricted }),
  ...(options.unique !== undefined && { unique: options.unique }),
  ...(options.indexed !== undefined && { indexed: options.indexed }),
  ...(options.sensitive !== undefined && { sensitive: options.sensitive }),
  ...(options.encrypted !== undefined && { encrypted: options.encrypted }),
});
