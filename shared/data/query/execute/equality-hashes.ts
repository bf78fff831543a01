import { fieldIndexOf, type ObjectSchema } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";
import type { QueryScope } from "../analyze/catalog.ts";
import type { Query } from "../parse/syntax.ts";

/** The last names of the paths in a part of the syntax tree, except those that are only tested for presence. */
const fieldNames = (node: unknown, found: Set<string>): Set<string> => {
  if (typeof node !== "object" || node === null) return found;
  if ("kind" in node && node.kind === "is-null") return found;
  if ("kind" in node && node.kind === "path" && "names" in node && Array.isArray(node.names)) {
    const last: { readonly text: string } | undefined = node.names.at(-1);
    if (last !== undefined) found.add(last.text);
    return found;
  }
  for (const inner of Object.values(node)) fieldNames(inner, found);
  return found;
};

/** Whether a condition of the query names an encrypted field that has hashes. */
const comparesEncrypted = ({ where, having, joins }: Query, schemas: Iterable<ObjectSchema>): boolean => {
  const names = fieldNames([where, having, joins], new Set());
  return [...schemas].some(({ properties }) =>
    Object.values(properties).some(
      (field) => field.encrypted === true && names.has(field.api_name) && fieldIndexOf(field) !== null,
    ),
  );
};

/**
 * The hashes that stand for values of encrypted fields in the query. The key is read only if the query needs it.
 * Raises `dependency_unavailable`.
 */
export const equalityHashes = async (
  tenant: Tenant,
  query: Query,
  schemas: Iterable<ObjectSchema>,
): Promise<Pick<QueryScope, "hashOf">> => {
  if (!comparesEncrypted(query, schemas)) return {};
  const { dataKeyOf, fieldCipher } = await import("#shared/data/schema/encryption/encryption");
  const key = await dataKeyOf(tenant);
  // Without a key there is no encrypted value that could be equal.
  if (key === null) return {};
  return { hashOf: (object, field, text) => fieldCipher(tenant.organization_id, object, field, key).hash(text) };
};
