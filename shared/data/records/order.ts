import type { Document } from "mongodb";
import { expressionWithoutNames, nameMaskOf, SENSITIVE_SCOPE, valueMaskOf } from "#shared/data/access/access";
import { type Field, shortKey } from "#shared/data/schema/schema";
import { didYouMean } from "#shared/foundation/did-you-mean";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import type { Target } from "./target.ts";

const MOST_KEYS = 5;
const PART = /^(?:(?<minus>-)?(?<name>[^\s,-][^\s,]*)(?:\s+(?<direction>asc|desc))?)$/i;

const issue = (msg: string, type: string): Issue => ({ loc: ["query", "order_by"], msg, type });

export interface Order {
  readonly sort: Map<string, 1 | -1>;
  /** References without hidden names, set for the sort alone; null if no sorted field has hidden names. */
  readonly masked: Document | null;
}

interface OrderKey {
  readonly path: string;
  readonly way: 1 | -1;
  /** Expressions that hide names while the field is sorted by. */
  readonly masked: Document;
}

/** The path to sort by; undefined for fields that cannot be sorted by. */
const sortPath = (field: Field): string | undefined => {
  if (field.api_name === "id") return "_id";
  if (field.format === "lookup" || field.format === "compound_lookup") return `${field.api_name}.name`;
  return field.type === "json" || field.type === "list" ? undefined : field.api_name;
};

const keyOf = ({ schema, access, object }: Target, part: string): OrderKey | Issue => {
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
  if (valueMaskOf(field, access) !== null) {
    const sentence = `"${name}" cannot be sorted by: it is sensitive, and you do not have the scope "${SENSITIVE_SCOPE}".`;
    return issue(sentence, "not_sortable");
  }
  if (field.encrypted === true) return issue(`"${name}" cannot be sorted by: it is encrypted.`, "not_sortable");
  const path = sortPath(field);
  if (path === undefined) return issue(`"${name}" cannot be sorted by.`, "not_sortable");
  const mask = nameMaskOf(field, access.named);
  if (mask === "every") {
    const sentence = `"${name}" cannot be sorted by: you may not read the names of "${field.schema}" records.`;
    return issue(sentence, "not_sortable");
  }
  const masked = mask === null ? {} : { [name]: expressionWithoutNames(`$${name}`, mask) };
  return { path, way: (minus === "-") === (direction?.toLowerCase() === "desc") ? 1 : -1, masked };
};

/** Parses `-created_date,name` or `created_date desc, name`; the id breaks ties. Raises `validation_failed`. */
export const orderOf = (target: Target, orderBy: string | undefined): Order => {
  const parts = orderBy === undefined ? [] : orderBy.split(",");
  if (parts.length > MOST_KEYS) {
    throw new Fault("validation_failed", { issues: [issue(`Expected at most ${MOST_KEYS} fields.`, "order_by")] });
  }
  const order = new Map<string, 1 | -1>();
  const masked: Document = {};
  const issues: Issue[] = [];
  for (const part of parts) {
    const key = keyOf(target, part);
    if ("msg" in key) {
      issues.push(key);
      continue;
    }
    if (!order.has(key.path)) order.set(key.path, key.way);
    Object.assign(masked, key.masked);
  }
  refuseIfAny(issues);
  // The direction of the last key, so that the index of that key and the id serves the sort.
  if (!order.has("_id")) order.set("_id", [...order.values()].at(-1) ?? 1);
  return { sort: order, masked: Object.keys(masked).length === 0 ? null : masked };
};
