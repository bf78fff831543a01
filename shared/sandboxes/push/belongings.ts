import type { Document, Filter } from "mongodb";
import { type ConfigurationKind, configurationKinds } from "#contracts/sandbox-bodies";
import { listsOf, ownFieldsOf, type PushedObject } from "#shared/data/schema/push/push";
import { type ObjectSchema, schemasOf, VALUE_LIST_OBJECT } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import { SCHEMAS } from "../copying/configuration.ts";
import type { Source } from "./places.ts";

export type StoredRecord = Document & { _id: string };

/** Rights are granted where they count. */
const notPushed: ReadonlySet<ConfigurationKind> = new Set([SCHEMAS, "permission", "role"]);

export type RecordKind = Exclude<ConfigurationKind, "schemas" | "permission" | "role">;

const recordKinds = configurationKinds.filter((kind): kind is RecordKind => !notPushed.has(kind));

/** Objects and records of one app. */
const MOST_DOCUMENTS = 2_000;
/** In bytes. All records are in memory while they are compared. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface App {
  readonly id: string;
  readonly name: string;
  readonly api_name: string | null;
}

/** What belongs to an app in the sandbox. */
export interface Belongings {
  readonly schemas: Readonly<Record<string, ObjectSchema>>;
  readonly objects: readonly PushedObject[];
  readonly records: ReadonlyMap<RecordKind, readonly StoredRecord[]>;
}

const ambiguous = (apps: readonly StoredRecord[]): Fault =>
  new Fault("conflict", {
    message: `Several apps have this name. Give the id of one of them: ${apps.map(({ _id }) => _id).join(", ")}.`,
  });

const MOST_NAMED = 20;

/** The app with this id; else with this api_name; else with this name. Raises `record_not_found` and `conflict`. */
export const appNamed = async ({ collection }: Source, wanted: string): Promise<App> => {
  for (const field of ["_id", "api_name", "name"]) {
    const filter: Filter<StoredRecord> = { [field]: wanted };
    const found = await collection<StoredRecord>("app").find(filter).limit(MOST_NAMED).toArray();
    if (found.length > 1) throw ambiguous(found);
    const [app] = found;
    if (app === undefined) continue;
    const { _id, name, api_name } = app;
    return { id: _id, name: String(name ?? _id), api_name: typeof api_name === "string" ? api_name : null };
  }
  throw new Fault("record_not_found", { message: `The sandbox has no app "${wanted}".` });
};

/** Whole objects of the app, and its fields in other objects. */
const objectsOf = (schemas: Readonly<Record<string, ObjectSchema>>, { id, api_name }: App): PushedObject[] => {
  const names = (app: string | null | undefined): boolean =>
    typeof app === "string" && (app === id || app === api_name);
  return Object.values(schemas).flatMap((schema): PushedObject[] => {
    if (names(schema.app)) return [{ schema, fields: "all" }];
    const fields = ownFieldsOf(schema).filter(({ app }) => names(app));
    return fields.length === 0 ? [] : [{ schema, fields: fields.map(({ api_name: field }) => field) }];
  });
};

const filterOf = (kind: RecordKind, { id }: App, lists: readonly string[]): Filter<StoredRecord> => {
  if (kind === "app") return { _id: id };
  const ofApp = { "app.id": id };
  return kind === VALUE_LIST_OBJECT && lists.length > 0 ? { $or: [ofApp, { name: { $in: [...lists] } }] } : ofApp;
};

const sizeOf = async ({ collection }: Source, kind: RecordKind, filter: Filter<StoredRecord>) => {
  const size = { _id: null, documents: { $sum: 1 }, bytes: { $sum: { $bsonSize: "$$ROOT" } } };
  const [found] = await collection<StoredRecord>(kind)
    .aggregate([{ $match: filter }, { $group: size }])
    .toArray();
  return { documents: Number(found?.documents ?? 0), bytes: Number(found?.bytes ?? 0) };
};

const refuseTooMany = (documents: number, bytes: number): void => {
  const msg =
    documents > MOST_DOCUMENTS
      ? `The app has ${documents} objects and records. At most ${MOST_DOCUMENTS} can be pushed.`
      : `The records of the app take ${bytes} bytes. At most ${MOST_BYTES} can be pushed.`;
  if (documents <= MOST_DOCUMENTS && bytes <= MOST_BYTES) return;
  throw new Fault("validation_failed", { issues: [{ loc: ["path", "app"], msg, type: "too_many_documents" }] });
};

/** Raises `validation_failed` for an app that is too large. */
export const belongingsOf = async (source: Source, app: App): Promise<Belongings> => {
  const schemas = await schemasOf(source);
  const objects = objectsOf(schemas, app);
  const lists = listsOf(objects);
  const filters = recordKinds.map((kind) => [kind, filterOf(kind, app, lists)] as const);
  let [documents, bytes] = [objects.length, 0];
  for (const [kind, filter] of filters) {
    const size = await sizeOf(source, kind, filter);
    documents += size.documents;
    bytes += size.bytes;
  }
  refuseTooMany(documents, bytes);
  const records = new Map<RecordKind, StoredRecord[]>();
  for (const [kind, filter] of filters) {
    records.set(kind, await source.collection<StoredRecord>(kind).find(filter).sort({ _id: 1 }).toArray());
  }
  return { schemas, objects, records };
};
