import { html, type Markup } from "../../html/html.ts";
import type { JsonSchema, OpenapiDocument } from "../document.ts";
import { phrase } from "./prose.ts";
import { isNull, refName, typesOf } from "./resolve.ts";

export const schemaAnchor = (name: string): string => `schema-${name}`;

const joined = (parts: readonly Markup[], between: string): Markup =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))}`;

const options = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [];

/** What a schema is, in a few words: `array of Field`, `string, email`, `"bearer"`. */
const typeLabel = (schema: JsonSchema): Markup => {
  const name = refName(schema);
  if (name !== undefined) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  const choices = options(schema);
  if (choices.length > 0)
    return joined(
      choices.map((choice) => (isNull(choice) ? html`null` : typeLabel(choice))),
      " or ",
    );
  if (schema.allOf) return joined(schema.allOf.map(typeLabel), " and ");
  const types = typesOf(schema).map((type) => {
    if (type === "array" && schema.items) return html`array of ${typeLabel(schema.items)}`;
    const values = schema.additionalProperties;
    if (type === "object" && typeof values === "object" && !schema.properties) return html`map of ${typeLabel(values)}`;
    return html`${type}${schema.format ? `, ${schema.format}` : ""}`;
  });
  if (types.length === 0) return html`any value`;
  return html`${joined(types, " or ")}${schema.type?.includes("null") && typeof schema.type !== "string" ? " or null" : ""}`;
};

const code = (value: unknown): Markup => html`<code>${JSON.stringify(value)}</code>`;

const number = (value: number | undefined): string => value?.toLocaleString("en-US") ?? "";

const range = (low: number | undefined, high: number | undefined, unit: string): string | undefined => {
  if (low === undefined && high === undefined) return undefined;
  if (low === high) return `exactly ${number(low)}${unit}`;
  if (low === 1 && high === undefined && unit !== "") return "not empty";
  if (high === undefined) return `at least ${number(low)}${unit}`;
  return low === undefined || low === 0 ? `at most ${number(high)}${unit}` : `${number(low)} to ${number(high)}${unit}`;
};

/** The limits of a value, each in a few words. */
const facts = (schema: JsonSchema): Markup[] => {
  const found: (Markup | undefined)[] = [
    schema.enum && html`one of ${joined(schema.enum.map(code), ", ")}`,
    schema.default === undefined ? undefined : html`default ${code(schema.default)}`,
    schema.examples?.length ? html`for example ${code(schema.examples[0])}` : undefined,
    ...[
      range(schema.minLength, schema.maxLength, " characters"),
      range(schema.minItems, schema.maxItems, " items"),
      range(schema.minimum, schema.maximum, ""),
      schema.exclusiveMinimum === undefined ? undefined : `more than ${schema.exclusiveMinimum}`,
      schema.exclusiveMaximum === undefined ? undefined : `less than ${schema.exclusiveMaximum}`,
    ].map((text) => (text === undefined ? undefined : html`${text}`)),
  ];
  return found.filter((fact) => fact !== undefined);
};

export interface Entry {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly description?: string | undefined;
}

/** Schemas without a name that stand inside another one and have properties to show. */
const inside = (schema: JsonSchema): JsonSchema[] => {
  if (schema.$ref) return [];
  if (schema.properties) return [schema];
  const { items, additionalProperties } = schema;
  const parts = [
    items,
    typeof additionalProperties === "object" ? additionalProperties : undefined,
    ...options(schema),
  ];
  return parts.flatMap((part) => (part ? inside(part) : []));
};

/** In a request a property is required or not; in a reply it is there, or may be missing. */
export type Side = "request" | "reply" | "both";

const presence = (side: Side, required: boolean): Markup => {
  if (side === "reply") return required ? html`` : html` <span class="type">may be missing</span>`;
  return required ? html` <span class="required">required</span>` : html``;
};

export const entryView = (entry: Entry, side: Side): Markup => {
  const { schema } = entry;
  const description = entry.description ?? schema.description;
  const limits = facts(schema);
  return html`<li><div class="entry"><code class="name">${entry.name}</code> <span class="type">${typeLabel(schema)}</span>${presence(
    side,
    entry.required,
  )}</div>${description ? html`<p>${phrase(description)}</p>` : ""}${
    limits.length > 0 ? html`<p class="facts">${joined(limits, " · ")}</p>` : ""
  }${inside(schema).map((part) => propertiesView(part, side))}</li>`;
};

const propertiesView = ({ properties = {}, required = [] }: JsonSchema, side: Side): Markup =>
  html`<ul class="entries">${Object.entries(properties).map(([name, schema]) =>
    entryView({ name, schema, required: required.includes(name) }, side),
  )}</ul>`;

/** The names that a schema stands for, alone, in a list, as a map's values or as one of several. */
const namesIn = (schema: JsonSchema): string[] => {
  const name = refName(schema);
  if (name !== undefined) return [name];
  const { items, additionalProperties } = schema;
  const parts = [
    items,
    typeof additionalProperties === "object" ? additionalProperties : undefined,
    ...options(schema),
  ];
  return [...new Set(parts.flatMap((part) => (part ? namesIn(part) : [])))];
};

const wordsAndProperties = (schema: JsonSchema, side: Side): Markup => {
  const limits = facts(schema);
  return html`${schema.description ? html`<p>${phrase(schema.description)}</p>` : ""}${
    limits.length > 0 ? html`<p class="facts">${joined(limits, " · ")}</p>` : ""
  }${inside(schema).map((part) => propertiesView(part, side))}`;
};

/** A whole schema: its kind, its words and its properties; named ones are followed once, those inside them are links. */
export const schemaView = (document: OpenapiDocument, schema: JsonSchema, side: Side): Markup => {
  const names = namesIn(schema);
  const named = names.map((name) => {
    const title = names.length > 1 ? html`<p class="type"><strong>${name}</strong></p>` : "";
    return html`${title}${wordsAndProperties(document.components.schemas[name] ?? {}, side)}`;
  });
  return html`<p class="type">${typeLabel(schema)}</p>${wordsAndProperties(schema, side)}${named}`;
};

/** A component under its own name: what it refers to stays a link. */
export const componentView = (schema: JsonSchema): Markup =>
  html`${schema.properties ? "" : html`<p class="type">${typeLabel(schema)}</p>`}${wordsAndProperties(schema, "both")}`;
