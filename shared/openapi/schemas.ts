import * as z from "zod";
import type { JsonSchema } from "./document.ts";

/** Requests and replies are described separately, because of defaults and transforms. */
type Direction = "input" | "output";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Copies a JSON value and changes every `$ref`. */
const withRefs = <T>(value: T, change: (ref: string) => string): T => {
  const copy = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(copy);
    if (!isObject(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string" ? change(inner) : copy(inner),
      ]),
    );
  };
  return copy(value) as T;
};

const refsIn = (value: unknown): Set<string> => {
  const refs = new Set<string>();
  withRefs(value, (ref) => {
    refs.add(ref);
    return ref;
  });
  return refs;
};

interface Converted {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

const readable =
  (direction: Direction) =>
  ({ zodSchema, jsonSchema }: Converted): void => {
    const { def } = zodSchema._zod;
    if (def.type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
    // Replies may gain properties, so only strict objects forbid additional ones.
    if (direction === "output" && def.type === "object" && def.catchall === undefined) {
      delete jsonSchema.additionalProperties;
    }
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  };

export interface Components {
  /** Describes a schema. Schemas with an id become components, and the result refers to them. */
  readonly describe: (schema: z.ZodType, direction: Direction) => JsonSchema;
  /** All components by name, and the document with its references resolved. */
  readonly settle: <T>(document: T) => { document: T; schemas: Record<string, JsonSchema> };
}

const PLACE = "#/components/schemas/";

/** Names whose shape differs between requests and replies, directly or through references. */
const twoFaced = (input: ReadonlyMap<string, JsonSchema>, output: ReadonlyMap<string, JsonSchema>): Set<string> => {
  const shared = [...input.keys()].filter((name) => output.has(name));
  const plain = (schema: JsonSchema | undefined): string =>
    JSON.stringify(withRefs(schema, (ref) => ref.replace(/^#\/(?:input|output)\//, "")));
  const different = new Set(shared.filter((name) => plain(input.get(name)) !== plain(output.get(name))));
  for (let before = -1; before !== different.size; ) {
    before = different.size;
    for (const name of shared) {
      const used = [...refsIn(input.get(name))].map((ref) => ref.replace("#/input/", ""));
      if (used.some((other) => different.has(other))) different.add(name);
    }
  }
  return different;
};

/** Collects the named schemas of a document. Raises an error for two schemas with one name in one direction. */
export const components = (): Components => {
  const known = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };

  const describe = (schema: z.ZodType, direction: Direction): JsonSchema => {
    const converted = z.toJSONSchema(z.object({ value: schema }), {
      io: direction,
      unrepresentable: "any",
      override: readable(direction),
    });
    const placed = withRefs(converted, (ref) => ref.replace("#/$defs/", `#/${direction}/`));
    for (const [name, found] of Object.entries(placed.$defs ?? {})) {
      const before = known[direction].get(name);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(found)) {
        throw new Error(`Two schemas have the id "${name}".`);
      }
      known[direction].set(name, found as JsonSchema);
    }
    return placed.properties?.value as JsonSchema;
  };

  const settle: Components["settle"] = (document) => {
    const different = twoFaced(known.input, known.output);
    const nameOf = (name: string, direction: Direction): string =>
      direction === "input" && different.has(name) ? `${name}Input` : name;
    const settled = <T>(value: T): T =>
      withRefs(value, (ref) => {
        const [, direction, name] = /^#\/(input|output)\/(.+)$/.exec(ref) ?? [];
        return name === undefined ? ref : `${PLACE}${nameOf(name, direction as Direction)}`;
      });
    const schemas = new Map<string, JsonSchema>();
    for (const direction of ["input", "output"] as const) {
      for (const [name, schema] of known[direction]) schemas.set(nameOf(name, direction), settled(schema));
    }
    return {
      document: settled(document),
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  };

  return { describe, settle };
};
