import { fieldIndexOf } from "#shared/data/schema/schema";
import type { QueryField, QueryObject } from "./catalog.ts";
import { conjuncts, type Predicate } from "./predicate.ts";

const isBuilt = ({ index_status }: QueryField): boolean => index_status !== "building" && index_status !== "failed";

/** Whether the path has an index, which has been built. */
export const isIndexed = ({ fields }: QueryObject, path: string): boolean => {
  if (path === "_id") return true;
  const field = fields.get(path.split(".", 1)[0] ?? "");
  return field !== undefined && isBuilt(field) && fieldIndexOf(field)?.path === path;
};

const isEquality = (predicate: Predicate): predicate is Extract<Predicate, { kind: "test" }> =>
  predicate.kind === "test" && ("$eq" in predicate.test || "$in" in predicate.test) && predicate.test.$eq !== null;

/**
 * How much the conditions on one object narrow it by an index: 2 to certain records, 1 to records with a value, 0
 * unknown.
 */
export const selectivity = (object: QueryObject, where: readonly Predicate[]): 0 | 1 | 2 => {
  const equal = where.flatMap(conjuncts).filter(isEquality);
  const served = equal.filter(({ column }) => isIndexed(object, column.path));
  const isUnique = (path: string): boolean => object.fields.get(path.split(".", 1)[0] ?? "")?.unique === true;
  if (served.some(({ column }) => column.path === "_id" || isUnique(column.path))) return 2;
  return served.length > 0 ? 1 : 0;
};
