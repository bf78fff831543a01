import { isDeepStrictEqual } from "node:util";
import type { Document } from "mongodb";
import { readHolderOf } from "#shared/data/access/access";
import { type ObjectSchema, readOnlySystemFields, systemFields } from "#shared/data/schema/schema";
import { isSecretName } from "#shared/foundation/secret-names";
import type { Change, RecordedChanges } from "#shared/trail/trail";

/** In bytes of JSON, of one entry. Larger values have their place in the record. */
const LARGEST_CHANGES = 64 * 1024;

/** Takes out what lies under a secret's name. Objects under such a name are looked into: they name rights, such as a permission's. */
const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const hide = isSecretName(key) && inner !== null && (typeof inner !== "object" || Array.isArray(inner));
    return [key, hide ? "[hidden]" : withoutSecrets(inner)] as const;
  });
  return Object.fromEntries(entries);
};

type Step = Readonly<Record<"before" | "after", Document | null>>;

/** The fields that a step changes. One that creates or deletes changes all that have a value, but for the platform's own. */
const changedFields = ({ properties }: ObjectSchema, { before, after }: Step): string[] => {
  const isWhole = before === null || after === null;
  return Object.keys(properties).filter((name) => {
    if (isWhole ? Object.hasOwn(systemFields, name) : readOnlySystemFields.has(name)) return false;
    return !isDeepStrictEqual(before?.[name] ?? null, after?.[name] ?? null);
  });
};

const isHidden = ({ api_name, properties }: ObjectSchema, name: string): boolean => {
  const field = properties[name];
  return (
    field?.sensitive === true ||
    field?.encrypted === true ||
    isSecretName(name) ||
    readHolderOf(api_name, name) !== undefined
  );
};

/** What a step changes of a record, field by field, without secrets. `before` null creates it, `after` null deletes it. */
export const changesOf = (schema: ObjectSchema, step: Step): RecordedChanges => {
  let left = LARGEST_CHANGES;
  const recorded: Record<string, Change> = {};
  for (const name of changedFields(schema, step)) {
    if (isHidden(schema, name)) {
      recorded[name] = { hidden: true };
      continue;
    }
    const from = withoutSecrets(step.before?.[name] ?? null);
    const to = withoutSecrets(step.after?.[name] ?? null);
    const bytes = Buffer.byteLength(JSON.stringify([from, to]));
    recorded[name] = bytes > left ? { cut: true } : { from, to };
    if (bytes <= left) left -= bytes;
  }
  return recorded;
};
