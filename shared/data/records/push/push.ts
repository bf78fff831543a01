import { isDeepStrictEqual } from "node:util";
import type { ClientSession, Document } from "mongodb";
import { accessOf, requireAccess } from "#shared/data/access/access";
import { type ObjectSchema, requireSchema } from "#shared/data/schema/schema";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { assignAutoNumbers } from "../auto-numbers.ts";
import { type Contexts, newBatch } from "../batch.ts";
import { type ChangedRecords, changeRecords, checkPatches, followChange, type ReadyBatch } from "../change-records.ts";
import { checkFields } from "../check-record.ts";
import { ensureIndexes } from "../indexes.ts";
import { checkNewRecords, insertRecords, protectNew } from "../insert-records.ts";
import { confirmNames } from "../renames/renames.ts";
import { collectionOf, ofIds, referenceNameOf } from "../stored-record.ts";
import type { CreatedNames, PushedFunction, Target } from "../target.ts";
import { refuseRepeatedValues, toDuplicateValue } from "../unique-values.ts";

export { opaqueFields } from "../check-rules.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a push does to the records of one object. New records keep the ids that they have in the source. */
export interface PushedRecords {
  readonly object: string;
  readonly created: readonly { readonly id: string; readonly fields: Fields }[];
  readonly changed: readonly { readonly before: Document & { _id: string }; readonly fields: Fields }[];
}

/** Checked records that are not written yet. */
export interface ReadyRecords {
  /** Raises `conflict` if records have been changed since they were checked, and `duplicate_value`. */
  write(session: ClientSession): Promise<void>;
  /** After the commit. Never raises. */
  follow(): Promise<void>;
}

/** Two changes of the target at the same time: the second one is to be checked again. */
const changedMeanwhile = (): Fault =>
  new Fault("conflict", {
    message: "The target was changed at the same time, so nothing was done. Push again.",
    headers: { "retry-after": "1" },
  });

const refuseChanged = async (
  target: Target,
  { created, changed }: PushedRecords,
  session: ClientSession,
): Promise<void> => {
  const checked = new Map(changed.map(({ before }) => [before._id, before]));
  const ids = [...created.map(({ id }) => id), ...checked.keys()];
  const stored = await collectionOf(target).find(ofIds(ids), { session }).toArray();
  const same = stored.length === checked.size && stored.every((one) => isDeepStrictEqual(one, checked.get(one._id)));
  if (!same) throw changedMeanwhile();
};

/** Issues name the record by object and id. */
const contextsOf =
  (
    { object }: Target,
    { report }: ReadyBatch | Awaited<ReturnType<typeof newBatch>>,
    ids: readonly string[],
  ): Contexts =>
  (index) => ({ report, at: ["body", object, ids[index] ?? index], secret: false });

type Write = (session: ClientSession) => Promise<void>;
type Follow = () => Promise<void>;

const readyCreation = async (target: Target, { created }: PushedRecords): Promise<[Write, Follow]> => {
  const items = created.map(({ fields }) => fields);
  const batch = await newBatch(target, "create", items);
  const contexts = contextsOf(
    target,
    batch,
    created.map(({ id }) => id),
  );
  const all = await checkNewRecords(target, items, batch, contexts);
  refuseRepeatedValues(target, all);
  const pending = created.map(({ id }, index) => ({ id, changes: all[index] ?? {} }));
  const records = await protectNew(target, pending);
  await assignAutoNumbers(
    target,
    records.map(({ changes }) => changes),
  );
  const references = batch.report.references.map(({ reference }) => reference);
  return [
    async (session) => {
      await insertRecords(target, records, { batch, contexts, at: now() }, session);
    },
    () => confirmNames(target.tenant, references),
  ];
};

const readyChange = async (target: Target, { changed }: PushedRecords): Promise<[Write, Follow]> => {
  const items = changed.map(({ fields }) => fields);
  const batch = await newBatch(target, "update", items);
  const ids = changed.map(({ before }) => before._id);
  const contexts = contextsOf(target, batch, ids);
  const patches = changed.map(({ before, fields }, index) => ({
    id: before._id,
    changes: checkFields(target, "update", fields, contexts(index), batch),
    context: contexts(index),
  }));
  const ready = await checkPatches(target, batch, patches);
  let done: ChangedRecords = { changed: [], renamed: [] };
  return [
    async (session) => {
      done = await changeRecords(target, ready, session);
    },
    () => followChange(target, ready, done),
  ];
};

const ready = async (target: Target, records: PushedRecords): Promise<ReadyRecords> => {
  const steps: [Write, Follow][] = [];
  if (records.created.length > 0) {
    requireAccess(target.access, target.object, "create");
    steps.push(await readyCreation(target, records));
  }
  if (records.changed.length > 0) {
    requireAccess(target.access, target.object, "update");
    steps.push(await readyChange(target, records));
  }
  return {
    write: async (session) => {
      await refuseChanged(target, records, session);
      try {
        for (const [write] of steps) await write(session);
      } catch (error) {
        const translated = toDuplicateValue(target, error, 1);
        // Without a field it is the id: another request has created the record.
        throw isDuplicateKey(translated) ? changedMeanwhile() : translated;
      }
    },
    follow: async () => {
      for (const [, follow] of steps) await follow();
    },
  };
};

const namesOf = (all: readonly PushedRecords[]): CreatedNames =>
  new Map(
    all.map(({ object, created }) => [object, new Map(created.map(({ id, fields }) => [id, referenceNameOf(fields)]))]),
  );

const functionsOf = (all: readonly PushedRecords[]): PushedFunction[] =>
  all
    .filter(({ object }) => object === "function")
    .flatMap(({ created, changed }) => [
      ...created.map(({ id, fields }) => ({ ...fields, id })),
      ...changed.map(({ before, fields }) => ({ ...before, ...fields, id: before._id })),
    ]);

/**
 * Checks records as ordinary writes are checked, and gives for each object what writes them in the push's transaction.
 * `schemas`: the model of the target as the same transaction makes it. Raises one `validation_failed` with the issues
 * of all objects, `object_not_found`, `forbidden` and `duplicate_value`.
 */
export const prepareRecords = async (
  tenant: Tenant,
  schemas: Readonly<Record<string, ObjectSchema>>,
  all: readonly PushedRecords[],
): Promise<ReadonlyMap<string, ReadyRecords>> => {
  const access = await accessOf(tenant);
  const created = namesOf(all);
  const functions = functionsOf(all);
  const issues: Issue[] = [];
  const result = new Map<string, ReadyRecords>();
  for (const records of all.filter(({ created, changed }) => created.length + changed.length > 0)) {
    const { object } = records;
    const stored = await requireSchema(tenant, object);
    const pushed = { schemas, functions };
    const model = schemas[object] ?? stored;
    const target: Target = { tenant, access, object, schema: model, createdToo: async () => created, pushed };
    try {
      result.set(object, await ready(target, records));
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "validation_failed") throw error;
      issues.push(...error.issues);
    }
    // Indexes of fields that are pushed too follow after the commit.
    if (issues.length === 0) await ensureIndexes({ ...target, schema: stored });
  }
  refuseIfAny(issues);
  return result;
};
