import { indexNameOf } from "./index-plan.ts";
import type { Field, ObjectSchema } from "./object-schema.ts";

const statusAfter = (before: Field | undefined, after: Field): Field => {
  const { index_failure: _, ...field } = after;
  const name = indexNameOf(after);
  if (name === undefined) return after;
  const isNew = before === undefined || indexNameOf(before) !== name;
  return isNew ? { ...field, index_status: "building" } : after;
};

/** The changed object, whose new indexes are to be built. `before` is null for an object with records from earlier. */
export const withNewIndexes = (before: ObjectSchema | null, after: ObjectSchema): ObjectSchema => {
  const properties = Object.entries(after.properties).map(([name, field]): [string, Field] => {
    const known = before !== null && Object.hasOwn(before.properties, name) ? before.properties[name] : undefined;
    return [name, field.system === true ? field : statusAfter(known, field)];
  });
  return { ...after, properties: Object.fromEntries(properties) };
};

/** The field, whose index is built again if it could not be built. */
export const tryIndexAgain = (field: Field): Field => {
  if (field.index_status !== "failed") return field;
  const { index_failure: _, ...again } = field;
  return { ...again, index_status: "building" };
};

/** The object after its indexes were built. `failures`: field → reason. */
export const withBuiltIndexes = (schema: ObjectSchema, failures: ReadonlyMap<string, string>): ObjectSchema => {
  const properties = Object.entries(schema.properties).map(([name, field]): [string, Field] => {
    if (field.system === true || indexNameOf(field) === undefined) return [name, field];
    const { index_failure: _, ...indexed } = field;
    const reason = failures.get(name);
    if (reason === undefined) return [name, { ...indexed, index_status: "ready" }];
    return [name, { ...indexed, index_status: "failed", index_failure: reason }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
};

export const isBuilding = ({ properties }: ObjectSchema): boolean =>
  Object.values(properties).some(({ index_status }) => index_status === "building");
