import type { Document } from "mongodb";
import { type Access, accessOf } from "#shared/data/access/access";
import { type ObjectSchema, schemaOf, schemasOf } from "#shared/data/schema/schema";
import { isTimeZone } from "#shared/foundation/time-zone";
import { internalCollections, type Tenant, versionedCache } from "#shared/tenant/tenant";
import type { QueryAccess, QueryObject, QueryScope } from "../analyze/catalog.ts";
import type { Query } from "../parse/syntax.ts";
import { equalityHashes } from "./equality-hashes.ts";

/** Schemas are cached by version, so that equal versions are the same object. */
const objects = new WeakMap<ObjectSchema, QueryObject>();

const objectOf = (schema: ObjectSchema): QueryObject => {
  const known = objects.get(schema);
  if (known) return known;
  const made = { api_name: schema.api_name, fields: new Map(Object.entries(schema.properties)) };
  objects.set(schema, made);
  return made;
};

const reading = (access: Access, schemas: ReadonlyMap<string, ObjectSchema>): QueryAccess => ({
  objectReadable: (object) => access.can(object, "read"),
  fieldReadable: (object, field) => access.fieldReadable(object, field),
  named: access.named,
  seesSensitive: access.seesSensitive,
  filter: (object) => {
    const schema = schemas.get(object);
    // Without its schema nothing is known about an object, so nothing of it is shown.
    return schema === undefined ? { $alwaysFalse: 1 } : access.rows.filter(schema);
  },
});

const organizations = versionedCache<{ readonly name: string }>({ mostBytes: 1024 * 1024 });

const ofOrganization = async (tenant: Tenant): Promise<{ readonly name: string }> => {
  const record = await tenant
    .collection<Document & { _id: string }>("organization")
    .findOne({ _id: tenant.organization_id }, { projection: { "settings.time_zone": 1 } });
  const name: unknown = record?.settings?.time_zone;
  return { name: isTimeZone(name) ? name : "UTC" };
};

/** The time zone of the caller's days: their own, else the organization's, else UTC. */
const timeZoneOf = async (tenant: Tenant): Promise<string> => {
  const { caller, state } = tenant;
  if (isTimeZone(caller.time_zone)) return caller.time_zone;
  const version = state.collection_versions?.organization ?? 0;
  return (await organizations.read(tenant, "", version, () => ofOrganization(tenant))).name;
};

/** Reads what the compiler needs of the tenant: the named objects and the caller's access. Both are cached. */
export const tenantScope = async (
  tenant: Tenant,
  query: Query,
  options: Pick<QueryScope, "loc" | "now">,
): Promise<QueryScope> => {
  const names = new Set(
    [query.from, ...query.joins.map((join) => join.source)].map((source) => source.object.text.toLowerCase()),
  );
  const [access, timeZone, ...schemas] = await Promise.all([
    accessOf(tenant),
    timeZoneOf(tenant),
    ...[...names].map((name) => schemaOf(tenant, name)),
  ]);
  const found = new Map<string, ObjectSchema>();
  for (const schema of schemas) {
    // `schemaOf` also finds schemas by id, but queries name objects by their api_name only.
    if (schema && names.has(schema.api_name) && !internalCollections.has(schema.api_name)) {
      found.set(schema.api_name, schema);
    }
  }
  const hashes = await equalityHashes(tenant, query, found.values());
  const complete = [...names].every((name) => found.has(name) && access.can(name, "read"));
  return {
    objects: new Map([...found].map(([name, schema]) => [name, objectOf(schema)])),
    objectNames: complete ? [] : Object.keys(await schemasOf(tenant)),
    access: reading(access, found),
    caller: tenant.caller.id,
    timeZone,
    ...hashes,
    ...options,
  };
};
