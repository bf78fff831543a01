import type { QueryField, QueryObject } from "./catalog.ts";
import { conjuncts, type Predicate } from "./predicate.ts";

const lookups: ReadonlySet<string | undefined> = new Set(["lookup", "lookup_list", "compound_lookup"]);

/** Who wrote a record is seldom asked for, so these two lookups have no index. */
const authors: ReadonlySet<string> = new Set(["created_by", "modified_by"]);

const declares = ({ api_name, format, indexed, unique }: QueryField, part: string | undefined): boolean => {
  if (lookups.has(format)) return part === "id" && !authors.has(api_name);
  return part === undefined && (indexed === true || unique === true);
};

/** Does the schema give the path an index? The primary key, whole lookups by their id, what is indexed or unique. */
export const isIndexed = ({ fields }: QueryObject, path: string): boolean => {
  if (path === "_id") return true;
  const [name = "", part] = path.split(".");
  const field = fields.get(name);
  return field !== undefined && declares(field, part);
};

const isEquality = (predicate: Predicate): predicate is Extract<Predicate, { kind: "test" }> =>
  predicate.kind === "test" && ("$eq" in predicate.test || "$in" in predicate.test) && predicate.test.$eq !== null;

/** How far conditions on one object narrow it by an index: 2 to certain records, 1 to those with a value, 0 unknown. */
export const selectivity = (object: QueryObject, where: readonly Predicate[]): 0 | 1 | 2 => {
  const equal = where.flatMap(conjuncts).filter(isEquality);
  const served = equal.filter(({ column }) => isIndexed(object, column.path));
  if (served.some(({ column }) => column.path === "_id" || object.fields.get(column.path)?.unique)) return 2;
  return served.length > 0 ? 1 : 0;
};
