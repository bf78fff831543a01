import type { JsonSchema, OpenapiDocument } from "../document.ts";
import { isNull, refName, resolve, typesOf } from "./resolve.ts";

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T09:30:00.000Z",
  date: "2026-01-31",
  email: "ada@example.com",
  password: "correct horse battery staple",
  uri: "https://example.com",
  uuid: "0198f0c2-7c1e-7b5a-9c3e-2f6d8a1b4c5d",
};

const PLAIN = "string";

/** An id looks like one. */
const named = (name: string, value: unknown): unknown =>
  value === PLAIN && /(?:^|_)id$/.test(name) ? FORMATS.uuid : value;

const text = ({ format = "", minLength = 0 }: JsonSchema): string => (FORMATS[format] ?? PLAIN).padEnd(minLength, "·");

const given = (schema: JsonSchema): { value: unknown } | undefined => {
  if (schema.examples?.length) return { value: schema.examples[0] };
  if (schema.const !== undefined) return { value: schema.const };
  if (schema.enum?.length) return { value: schema.enum[0] };
  return schema.default === undefined ? undefined : { value: schema.default };
};

/**
 * A value that fits a schema: its example if it has one, else what its type suggests. Optional properties of a
 * request are left out unless nothing else is there; those of a reply are shown.
 */
export const sampler = (document: OpenapiDocument, optional: "shown" | "left out") => {
  const object = (schema: JsonSchema, trail: readonly string[]): Record<string, unknown> => {
    const properties = Object.entries(schema.properties ?? {});
    const required = properties.filter(([name]) => schema.required?.includes(name));
    const chosen = optional === "shown" ? properties : required.length > 0 ? required : properties.slice(0, 1);
    return Object.fromEntries(chosen.map(([name, property]) => [name, named(name, sample(property, trail))]));
  };

  const typed = (schema: JsonSchema, trail: readonly string[]): unknown => {
    const [type] = typesOf(schema);
    if (type === "object" || schema.properties) return object(schema, trail);
    if (type === "array") return schema.items && trail.length < 6 ? [sample(schema.items, trail)] : [];
    if (type === "integer" || type === "number") return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1;
    if (type === "boolean") return true;
    return type === "string" ? text(schema) : null;
  };

  const sample = (raw: JsonSchema, trail: readonly string[] = []): unknown => {
    const name = refName(raw);
    if (name !== undefined && trail.includes(name)) return {};
    const inner = name === undefined ? trail : [...trail, name];
    const schema = resolve(document, raw);
    const found = given(raw) ?? given(schema);
    if (found) return found.value;
    const choices = (schema.anyOf ?? schema.oneOf ?? []).filter((option) => !isNull(option));
    const choice = choices.find((option) => !option.items) ?? choices[0];
    if (choice) return sample(choice, inner);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => sample(part, inner)));
    return typed(schema, inner);
  };

  return sample;
};
