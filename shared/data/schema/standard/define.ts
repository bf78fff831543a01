import { type Field, type ObjectSchema, resolveSchema } from "../object-schema.ts";

export type FieldDefinition = Omit<Field, "api_name" | "name" | "required"> & {
  readonly name?: string;
  readonly required?: boolean;
};
type Extra = Partial<FieldDefinition>;

export const text = (extra: Extra = {}): FieldDefinition => ({ type: "string", ...extra });
export const longText = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "text-area", ...extra });
export const html = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "html", ...extra });
export const markdown = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "markdown", ...extra });
export const email = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "email", pii: true, ...extra });
export const phone = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "phone", pii: true, ...extra });
export const url = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "url", ...extra });
export const date = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "date", ...extra });
export const dateTime = (extra: Extra = {}): FieldDefinition => ({ type: "string", format: "date-time", ...extra });
export const number = (extra: Extra = {}): FieldDefinition => ({ type: "number", ...extra });
export const currency = (extra: Extra = {}): FieldDefinition => ({ type: "number", format: "currency", ...extra });
export const boolean = (extra: Extra = {}): FieldDefinition => ({ type: "boolean", ...extra });
export const json = (extra: Extra = {}): FieldDefinition => ({ type: "json", format: "json", ...extra });
export const list = (extra: Extra = {}): FieldDefinition => ({ type: "list", ...extra });
export const address = (extra: Extra = {}): FieldDefinition => ({
  type: "json",
  format: "address",
  pii: true,
  ...extra,
});
export const relatedTo = (extra: Extra = {}): FieldDefinition => ({
  type: "json",
  format: "compound_lookup",
  ...extra,
});

export const lookup = (schema: string, extra: Extra = {}): FieldDefinition => ({
  type: "json",
  format: "lookup",
  schema,
  ...extra,
});

export const lookups = (schema: string, extra: Extra = {}): FieldDefinition => ({
  type: "list",
  format: "lookup_list",
  schema,
  ...extra,
});

/** Records that name an app are deployed with it. */
export const belongsToApp = (): FieldDefinition => lookup("app", { description: "The app that it belongs to." });

/** Suggested values. Other texts are accepted too. */
export const choice = (values: string[], extra: Extra = {}): FieldDefinition => ({
  type: "string",
  format: "enum",
  values,
  ...extra,
});

/** A closed list of values, because code depends on them. */
export const oneOf = (values: string[], extra: Extra = {}): FieldDefinition =>
  choice(values, { restricted: true, ...extra });

export const multiSelect = (values: string[], extra: Extra = {}): FieldDefinition => ({
  type: "list",
  format: "multi-select",
  values,
  restricted: true,
  ...extra,
});

/** `annual_revenue` → `Annual revenue`. */
const labelOf = (apiName: string): string =>
  `${apiName.charAt(0).toUpperCase()}${apiName.slice(1).replaceAll("_", " ")}`;

interface ObjectDefinition {
  readonly description: string;
  readonly icon: string;
  readonly relatesToAnyObject?: boolean;
  /** The fields besides `name`, which every standard object has. */
  readonly fields: Readonly<Record<string, FieldDefinition>>;
}

/** A standard object. Its id is its api_name, in every organization. */
export const standardObject = (apiName: string, definition: ObjectDefinition): ObjectSchema => {
  const specs = { name: text({ required: true, description: "What it is called." }), ...definition.fields };
  const properties = Object.entries(specs).map(([name, spec]) => [
    name,
    { api_name: name, name: labelOf(name), ...spec },
  ]);
  return resolveSchema({
    id: apiName,
    api_name: apiName,
    name: labelOf(apiName),
    description: definition.description,
    icon: definition.icon,
    custom: false,
    relates_to_any_object: definition.relatesToAnyObject ?? false,
    properties: Object.fromEntries(properties),
  });
};
