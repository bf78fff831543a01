import { isDeepStrictEqual } from "node:util";
import { isSecretName } from "#shared/foundation/secret-names";
import { tryIndexAgain } from "../index-status.ts";
import { type Field, type ObjectSchema, ownField, resolveSchema, type ValidationRule } from "../object-schema.ts";

/** What a push brings of one object of the source. */
export interface PushedObject {
  readonly schema: ObjectSchema;
  /** The fields that are pushed. `all`: the object itself with all of its fields and rules. */
  readonly fields: "all" | readonly string[];
}

const settingsOf = (field: Field): Field => {
  const { index_status: _, index_failure: __, ...settings } = ownField(field);
  return settings;
};

/** Whether a copy of the field comes without its default, because that could be a secret. */
const hidesDefault = ({ api_name, format, encrypted, sensitive }: Field): boolean =>
  format !== "auto-number" && (encrypted === true || sensitive === true || isSecretName(api_name));

/** The source's settings. The state of the index is the target's, and so is a default that the source does not show. */
const mergedField = (stored: Field | undefined, pushed: Field): Field => {
  const settings = settingsOf(pushed);
  if (stored === undefined) return settings;
  const isHidden = pushed.default === undefined && (hidesDefault(stored) || hidesDefault(pushed));
  const wanted = isHidden && stored.default !== undefined ? { ...settings, default: stored.default } : settings;
  if (isDeepStrictEqual(wanted, settingsOf(stored))) return stored;
  const { index_status, index_failure } = stored;
  return tryIndexAgain({ ...wanted, ...(index_status && { index_status }), ...(index_failure && { index_failure }) });
};

const mergedRules = (stored: readonly ValidationRule[], pushed: readonly ValidationRule[]): ValidationRule[] => {
  const names = new Set(pushed.map(({ api_name }) => api_name));
  return [...pushed, ...stored.filter(({ api_name }) => !names.has(api_name))];
};

export const ownFields = ({ properties }: ObjectSchema): Field[] =>
  Object.values(properties).filter(({ system }) => system !== true);

export const pushedFields = ({ schema, fields }: PushedObject): Field[] =>
  ownFields(schema).filter(({ api_name }) => fields === "all" || fields.includes(api_name));

const withFields = (stored: ObjectSchema, pushed: PushedObject): ObjectSchema => {
  const merged = pushedFields(pushed).map((field) => {
    const { api_name } = field;
    const known = Object.hasOwn(stored.properties, api_name) ? stored.properties[api_name] : undefined;
    return [api_name, mergedField(known, field)] as const;
  });
  const names = new Set(merged.map(([name]) => name));
  const properties =
    pushed.fields === "all"
      ? { ...Object.fromEntries(merged), ...withoutNames(stored.properties, names) }
      : { ...stored.properties, ...Object.fromEntries(merged) };
  return { ...stored, required: stored.required.filter((name) => !names.has(name)), properties };
};

const withoutNames = (properties: ObjectSchema["properties"], names: ReadonlySet<string>): ObjectSchema["properties"] =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)));

/**
 * The target's object after the push. What it has besides stays: other fields and other rules. `stored` is null for an
 * object that the target does not have.
 */
export const merged = (stored: ObjectSchema | null, pushed: PushedObject): ObjectSchema => {
  const { schema, fields } = pushed;
  if (fields !== "all") return resolveSchema(withFields(stored ?? { ...schema, properties: {} }, pushed));
  const { properties: _, required: __, validation_rules, ...settings } = schema;
  const base = withFields(stored ?? { ...schema, properties: {}, required: [], validation_rules: [] }, pushed);
  const rules = mergedRules(stored?.validation_rules ?? [], validation_rules);
  return resolveSchema({ ...base, ...settings, validation_rules: rules });
};
