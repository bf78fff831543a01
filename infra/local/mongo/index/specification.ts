import { newScope } from "../expressions/compile.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import { readCollation } from "../values/collation.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, isTrue, toInteger, toNumber } from "../values/numbers.ts";
import { splitPath } from "../values/paths.ts";
import { UtcDate, type Value } from "../values/types.ts";
import { type Component, type Index, newIndex } from "./index.ts";

const cannotCreate = (message: string): MongoFault => new MongoFault("CannotCreateIndex", message);

const options = new Set([
  "key",
  "name",
  "v",
  "ns",
  "unique",
  "sparse",
  "partialFilterExpression",
  "expireAfterSeconds",
  "collation",
  "hidden",
  "background",
  "prepareUnique",
  "clustered",
]);

/** https://www.mongodb.com/docs/manual/reference/command/createIndexes/ */
export function readIndex(spec: Doc): Index {
  const key = spec.get("key");
  if (!(key instanceof Doc))
    throw new MongoFault("FailedToParse", "The 'key' field is a required property of an index specification");
  if (key.size === 0) throw cannotCreate("Index keys cannot be empty.");
  const name = spec.get("name");
  if (typeof name !== "string")
    throw new MongoFault("FailedToParse", "The 'name' field is a required property of an index specification");
  if (name === "") throw cannotCreate("index name cannot be empty");
  for (const option of spec.keys) {
    if (options.has(option)) continue;
    if (
      [
        "weights",
        "default_language",
        "language_override",
        "textIndexVersion",
        "2dsphereIndexVersion",
        "bits",
        "min",
        "max",
        "wildcardProjection",
        "storageEngine",
      ].includes(option)
    ) {
      throw unsupported(`the index option ${option}`);
    }
    throw new MongoFault(
      "InvalidIndexSpecificationOption",
      `The field '${option}' is not valid for an index specification. Specification: ${name}`,
    );
  }
  const components = key.keys.map((path, i) => component(path, key.values[i] as Value));
  if (new Set(components.map(({ path }) => path)).size < components.length)
    throw cannotCreate("Index keys cannot name a field twice");
  return newIndex({
    name,
    components,
    spec: normalized(spec, key, name, components),
    unique: spec.has("unique") ? isTrue(spec.get("unique")) : name === "_id_" && components[0]?.path === "_id",
    sparse: isTrue(spec.get("sparse")),
    hidden: isTrue(spec.get("hidden")),
    collation: readCollation(spec.get("collation")),
    partial: readPartial(spec),
    expireAfterSeconds: readExpiry(spec, components),
    since: Date.now(),
  });
}

function component(path: string, direction: Value): Component {
  if (typeof direction === "string") throw unsupported(`a ${direction} index`);
  if (path.includes("$**")) throw unsupported("a wildcard index");
  if (!isNumeric(direction) || toNumber(direction) === 0 || Number.isNaN(toNumber(direction))) {
    throw cannotCreate("Values in v:2 index key pattern must be a number != 0 or a string");
  }
  const parts = splitPath(path);
  if (parts.includes("")) throw cannotCreate("Index keys cannot contain an empty field.");
  if (parts.some((part) => part.startsWith("$") && !["$ref", "$id", "$db"].includes(part))) {
    throw cannotCreate("Index key contains an illegal field name: field name starts with '$'.");
  }
  return { path, parts, direction: toNumber(direction) > 0 ? 1 : -1 };
}

function readPartial(spec: Doc): Index["partial"] {
  const filter = spec.get("partialFilterExpression");
  if (filter === undefined) return undefined;
  if (!(filter instanceof Doc))
    throw new MongoFault("TypeMismatch", "The field 'partialFilterExpression' must be an object");
  if (isTrue(spec.get("sparse"))) throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
  checkPartial(filter, true);
  const scope = newScope({ now: new UtcDate(0), order: readCollation(spec.get("collation"))?.order });
  return { filter, matches: compileFilter(filter, { scope, frame: [] }) };
}

const partialOperators = new Set(["$eq", "$in", "$exists", "$gt", "$gte", "$lt", "$lte", "$type", "$and", "$or"]);

function checkPartial(filter: Doc, top: boolean): void {
  filter.keys.forEach((name, i) => {
    const value = filter.values[i];
    if (name.startsWith("$") && (!partialOperators.has(name) || (name === "$exists" && !isTrue(value)))) {
      throw cannotCreate(`Expression not supported in partial index: ${name}`);
    }
    const inner =
      Array.isArray(value) && (name === "$and" || name === "$or") ? value : top || !name.startsWith("$") ? [value] : [];
    for (const item of inner)
      if (item instanceof Doc && (item.keys[0]?.startsWith("$") || name.startsWith("$")))
        checkPartial(item, name.startsWith("$"));
  });
}

function readExpiry(spec: Doc, components: readonly Component[]): number | undefined {
  const value = spec.get("expireAfterSeconds");
  if (value === undefined) return undefined;
  const seconds = isNumeric(value) ? toInteger(Math.trunc(toNumber(value))) : undefined;
  if (seconds === undefined)
    throw new MongoFault("TypeMismatch", "TTL index 'expireAfterSeconds' option must be numeric");
  if (seconds < 0 || seconds > 2147483647)
    throw cannotCreate("TTL index 'expireAfterSeconds' option must be within an acceptable range");
  if (components.length > 1)
    throw cannotCreate("TTL indexes are single-field indexes, compound indexes do not support TTL");
  if (components[0]?.path === "_id")
    throw new MongoFault(
      "InvalidIndexSpecificationOption",
      "The field 'expireAfterSeconds' is not valid for an _id index specification",
    );
  return seconds;
}

/** The specification as listIndexes shows it: v and key first, then the options that are set. */
function normalized(spec: Doc, key: Doc, name: string, components: readonly Component[]): Doc {
  const fields: Record<string, Value> = { v: 2, key, name };
  spec.keys.forEach((option, i) => {
    if (["v", "key", "name", "ns", "background", "clustered"].includes(option)) return;
    const value = spec.values[i] as Value;
    if (option === "collation") {
      const collation = readCollation(value);
      if (collation !== undefined) fields[option] = collation.spec;
    } else if ((option === "unique" || option === "sparse" || option === "hidden") && !isTrue(value)) return;
    else if (option === "unique" && components.length === 1 && components[0]?.path === "_id") return;
    else fields[option] = value;
  });
  return Doc.from(fields);
}
