import type { Document } from "mongodb";
import { isObjectName } from "#contracts/common";
import {
  type Access,
  accessOf,
  masksShares,
  type NameMask,
  nameMaskOf,
  type ValueMask,
  valueMaskOf,
} from "#shared/data/access/access";
import { type ObjectSchema, schemaOf, schemasOf } from "#shared/data/schema/schema";
import { didYouMean } from "#shared/foundation/did-you-mean";
import { internalCollections, type Tenant } from "#shared/tenant/tenant";
import { isObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";

/** A collection within the caller's access. */
export interface Source {
  /** The name in the database, which is the object's api_name. */
  readonly name: string;
  /** A filter for the records that the caller may read; null for all. */
  readonly filter: Document | null;
  /** First parts of the readable paths. */
  readonly readable: ReadonlySet<string>;
  /** The readable fields with references of which some names are hidden. */
  readonly masks: ReadonlyMap<string, NameMask>;
  /** The readable fields whose values are masked: constants stand in their place. */
  readonly masked: ReadonlyMap<string, ValueMask>;
  /** Fields that hold dates. */
  readonly moments: ReadonlySet<string>;
}

export interface Sources {
  /** The object of that name (case-insensitive); undefined if the caller sees none. */
  find(name: string): Source | undefined;
  /** A visible object with a similar name. */
  meant(name: string): string | undefined;
}

const maskedParts: ReadonlySet<string | undefined> = new Set(["id", "schema"]);

/** Whether everything at the path, as stored, may be read. */
export const isReadable = ({ readable, masks, masked }: Source, path: string): boolean => {
  const [root = "", part, inner] = path.split(".", 3);
  if (!readable.has(root) || masked.has(root)) return false;
  const mask = masks.get(root);
  if (mask === undefined) return true;
  return masksShares(mask) ? part === "access" || maskedParts.has(inner) : maskedParts.has(part);
};

const sourceOf = (schema: ObjectSchema, access: Access): Source => {
  // Encrypted fields are left out: a pipeline could compare their values and hashes.
  const fields = Object.values(schema.properties).filter(
    ({ api_name, encrypted }) =>
      api_name !== "id" && encrypted !== true && access.fieldReadable(schema.api_name, api_name),
  );
  const masks = fields.flatMap((field) => {
    const mask = nameMaskOf(field, access.named);
    return mask === null ? [] : [[field.api_name, mask] as const];
  });
  const masked = fields.flatMap((field) => {
    const mask = valueMaskOf(field, access);
    return mask === null ? [] : [[field.api_name, mask] as const];
  });
  return {
    name: schema.api_name,
    filter: access.rows.filter(schema),
    readable: new Set(["_id", "id", ...fields.map(({ api_name }) => api_name)]),
    masks: new Map(masks),
    masked: new Map(masked),
    moments: new Set(fields.filter(({ format }) => format === "date-time").map(({ api_name }) => api_name)),
  };
};

/** Reads the named objects that exist, and the caller's access. */
export const loadSources = async (tenant: Tenant, names: ReadonlySet<string>): Promise<Sources> => {
  const [access, ...schemas] = await Promise.all([
    accessOf(tenant),
    ...[...names].map((name) => schemaOf(tenant, name)),
  ]);
  const found = new Map<string, Source>();
  for (const schema of schemas) {
    // `schemaOf` also finds schemas by id, but pipelines name objects by their api_name only.
    if (schema === null || !names.has(schema.api_name) || internalCollections.has(schema.api_name)) continue;
    if (access.can(schema.api_name, "read")) found.set(schema.api_name, sourceOf(schema, access));
  }
  const all = found.size === names.size ? [] : Object.keys(await schemasOf(tenant));
  const visible = all.filter((name) => access.can(name, "read"));
  return {
    find: (name) => found.get(name.toLowerCase()),
    meant: (name) => didYouMean(name, visible),
  };
};

/** The positions where a stage names a collection. */
const joining: Readonly<Record<string, string>> = { $lookup: "from", $graphLookup: "from", $unionWith: "coll" };

/** An invalid stage may have several keys. */
const stagesIn = (pipeline: unknown): [string, unknown][] =>
  Array.isArray(pipeline) ? pipeline.flatMap((stage) => (isObject(stage) ? Object.entries(stage) : [])) : [];

/** The names of all collections that the pipeline reads, in lower case. The pipeline may be invalid. */
export const collectionNames = (pipeline: unknown, names = new Set<string>()): Set<string> => {
  for (const [stage, spec] of stagesIn(pipeline)) {
    const options = isObject(spec) ? spec : {};
    const property = Object.hasOwn(joining, stage) ? joining[stage] : undefined;
    if (stage === "$facet") for (const inner of Object.values(options)) collectionNames(inner, names);
    if (property === undefined) continue;
    const name = isObject(spec) ? options[property] : spec;
    // Pipelines beyond the limit are refused anyway.
    const isLookedFor = typeof name === "string" && isObjectName(name) && names.size <= pipelineLimits.joins;
    if (isLookedFor) names.add(name.toLowerCase());
    collectionNames(options.pipeline, names);
  }
  return names;
};
