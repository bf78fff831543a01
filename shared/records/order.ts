import type { Sort } from "mongodb";
import { didYouMean } from "../did-you-mean.ts";
import { Fault, type Issue, refuseIfAny } from "../faults.ts";
import type { Field } from "../schema/schema.ts";
import type { Target } from "./target.ts";
import { shortKey } from "./values/report.ts";

const MOST_KEYS = 5;
const PART = /^(?:(?<minus>-)?(?<name>[^\s,-][^\s,]*)(?:\s+(?<direction>asc|desc))?)$/i;

const issue = (msg: string, type: string): Issue => ({ loc: ["query", "order_by"], msg, type });

/** Where the values are that a field is sorted by; undefined for those that have no order. */
const sortPath = (field: Field): string | undefined => {
  if (field.api_name === "id") return "_id";
  if (field.format === "lookup" || field.format === "compound_lookup") return `${field.api_name}.name`;
  return field.type === "json" || field.type === "list" ? undefined : field.api_name;
};

const keyOf = ({ schema, access, object }: Target, part: string): [string, 1 | -1] | Issue => {
  const { minus, name = "", direction } = PART.exec(part.trim())?.groups ?? {};
  if (name === "")
    return issue('Expected fields separated by commas, such as "-created_date" or "name desc".', "order_by");
  const known = Object.hasOwn(schema.properties, name) && access.fieldReadable(object, name);
  const field = known ? schema.properties[name] : undefined;
  if (field === undefined) {
    const readable = Object.keys(schema.properties).filter((candidate) => access.fieldReadable(object, candidate));
    const meant = didYouMean(name, readable);
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    return issue(`"${object}" has no field "${shortKey(name)}".${hint}`, "unknown_field");
  }
  const path = sortPath(field);
  if (path === undefined) return issue(`"${name}" cannot be sorted by.`, "not_sortable");
  return [path, (minus === "-") === (direction?.toLowerCase() === "desc") ? 1 : -1];
};

/** `-created_date,name` or `created_date desc, name` as a sort, made unambiguous by the id. Raises `validation_failed`. */
export const orderOf = (target: Target, orderBy: string | undefined): Sort => {
  const parts = orderBy === undefined ? [] : orderBy.split(",");
  if (parts.length > MOST_KEYS) {
    throw new Fault("validation_failed", { issues: [issue(`Expected at most ${MOST_KEYS} fields.`, "order_by")] });
  }
  const order = new Map<string, 1 | -1>();
  const issues: Issue[] = [];
  for (const part of parts) {
    const key = keyOf(target, part);
    if (!Array.isArray(key)) issues.push(key);
    else if (!order.has(key[0])) order.set(...key);
  }
  refuseIfAny(issues);
  // The way of the key before it, so that one index gives both, forwards or backwards.
  if (!order.has("_id")) order.set("_id", [...order.values()].at(-1) ?? 1);
  return order;
};
