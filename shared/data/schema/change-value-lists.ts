import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { type OrganizationState, STATE_COLLECTION, type Tenant } from "#shared/tenant/tenant";
import { dependentsOfLists } from "./dependents.ts";
import { bytesOf, refuseTooLarge } from "./model-size.ts";
import { resolveSchema, SCHEMAS_COLLECTION, type StoredSchema } from "./object-schema.ts";
import { choicesOf, fieldsOf, listNamesOf, resolveLists, VALUE_LIST_OBJECT } from "./value-lists.ts";

const MOST_LISTS = 200;

/** A record of `value_list`, as far as the model depends on it. */
type ValueList = Readonly<Record<string, unknown>>;

/** A value list before and after a write. `before` is null for a new list, `after` for a deleted one. */
export interface ValueListChange {
  readonly before: ValueList | null;
  readonly after: ValueList | null;
}

const nameOf = (list: ValueList | null): string | null => (typeof list?.name === "string" ? list.name : null);

/** The names of lists that are deleted or renamed. */
const lostNames = (changes: readonly ValueListChange[]): string[] =>
  changes.flatMap(({ before, after }) => (nameOf(before) === nameOf(after) ? [] : (nameOf(before) ?? [])));

const grownNames = (changes: readonly ValueListChange[]): ReadonlySet<string> =>
  new Set(
    changes.flatMap(({ before, after }) => {
      const grows = bytesOf(choicesOf(after?.values)) > bytesOf(choicesOf(before?.values));
      return grows ? (nameOf(after) ?? []) : [];
    }),
  );

const refuseTooMany = async (tenant: Tenant, session: ClientSession): Promise<void> => {
  const count = await tenant.collection(VALUE_LIST_OBJECT).countDocuments({}, { session, limit: MOST_LISTS + 1 });
  if (count <= MOST_LISTS) return;
  const msg = `An organization has at most ${MOST_LISTS} value lists.`;
  throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "too_many_value_lists" }] });
};

/**
 * Completes a write of value lists in its transaction, after the write itself: the schema version goes up, so that the
 * next request reads the model with the new values in every execution environment. A field that comes to name a list at
 * the same time changes the version too, so one of both transactions runs again and sees the other's write. Raises
 * `in_use` for a list that fields name and that loses its name, and `validation_failed` for too many lists and values.
 */
export const completeListChange = async (
  tenant: Tenant,
  changes: readonly ValueListChange[],
  session: ClientSession,
): Promise<void> => {
  const stored = await tenant.collection<StoredSchema>(SCHEMAS_COLLECTION).find({}, { session }).toArray();
  const schemas = stored.map(resolveSchema);
  const lost = new Set(lostNames(changes));
  const users = dependentsOfLists(schemas, lost);
  if (users.length > 0) {
    const names = [...lost].map((name) => `"${name}"`).join(", ");
    throw new Fault("in_use", { message: `The value list ${names} is needed by ${users.join(", ")}.` });
  }
  if (changes.some(({ before }) => before === null)) await refuseTooMany(tenant, session);
  const grown = grownNames(changes);
  const larger = schemas.filter((schema) => listNamesOf(fieldsOf(schema)).some((name) => grown.has(name)));
  if (larger.length > 0) await refuseTooLarge(tenant, await resolveLists(tenant, larger, session), session);
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: tenant.organization_id }, { $inc: { schema_version: 1 } }, { session });
};
