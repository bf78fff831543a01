import type { JsonSchema, MediaType, OpenapiDocument, Operation, Parameter } from "../document.ts";
import { sampler } from "./sample.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** With the same escapes as a browser's form, but for what is readable as it is. */
const encoded = (value: unknown): string =>
  encodeURIComponent(String(value))
    .replace(/%20/g, "+")
    .replace(/%(?:2C|3A|2A)/g, decodeURIComponent);

const place = (parameters: readonly Parameter[], kind: Parameter["in"]): Parameter[] =>
  parameters.filter((parameter) => parameter.in === kind);

const bodyLines = ([type, { schema }]: [string, MediaType], sample: (schema: JsonSchema) => unknown): string[] => {
  const value = sample(schema);
  if (type === "application/json")
    return [`-H "Content-Type: ${type}"`, `-d ${quoted(JSON.stringify(value, null, 2))}`];
  return Object.entries(value ?? {}).map(([name, part]) => `--data-urlencode ${quoted(`${name}=${part}`)}`);
};

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** A command that works as it stands once `TOKEN` is set and the example values are one's own. */
export const curl = (document: OpenapiDocument, { method, path, operation }: Route): string => {
  const sample = sampler(document, "left out");
  const { parameters = [], requestBody, security } = operation;
  const filled = place(parameters, "path").reduce(
    (text, { name, schema }) => text.replace(`{${name}}`, encodeURIComponent(String(sample(schema)))),
    path,
  );
  const search = place(parameters, "query")
    .filter(({ required }) => required)
    .map(({ name, schema }) => [name, [sample(schema)].flat()[0]] as const);
  // A query is easiest to read and to change when curl encodes it, which it does where there is no body.
  const spelled = search.length > 0 && requestBody === undefined;
  const query = search.map(([name, value]) => `${name}=${encoded(value)}`).join("&");
  const address = `${document.servers[0]?.url ?? ""}${filled}${spelled || query === "" ? "" : `?${query}`}`;
  const flags = `${spelled ? " -G" : ""}${method === "get" ? "" : ` -X ${method.toUpperCase()}`}`;
  const lines = [`curl${flags} ${quoted(address)}`];
  if (spelled) lines.push(...search.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`));
  if (security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const { name, schema, required } of place(parameters, "header")) {
    if (required) lines.push(`-H ${quoted(`${name}: ${sample(schema)}`)}`);
  }
  const content = Object.entries(requestBody?.content ?? {})[0];
  if (content) lines.push(...bodyLines(content, sample));
  return lines.join(" \\\n  ");
};
