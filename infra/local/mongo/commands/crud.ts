import { ensureCollection, type Operating } from "../engine.ts";
import { MongoFault } from "../fault.ts";
import { compileFilter } from "../match/filter.ts";
import { compileProjection } from "../query/projection.ts";
import { readSort } from "../query/sort.ts";
import { Doc } from "../values/document.ts";
import type { Value } from "../values/types.ts";
import { insert as insertDocument } from "../writes.ts";
import {
  type Command,
  checkFields,
  collationOf,
  docList,
  evaluationOf,
  flag,
  nameOf,
  optionalDoc,
} from "./arguments.ts";
import {
  type DeleteStatement,
  deleteMatching,
  patiently,
  readDelete,
  readUpdate,
  update as updateDocuments,
  writeError,
} from "./write.ts";

const insertFields = new Set([
  "insert",
  "documents",
  "ordered",
  "bypassDocumentValidation",
  "bypassEmptyTsReplacement",
]);
const maxBatch = 100_000;

function checkBatch(count: number): void {
  if (count < 1 || count > maxBatch)
    throw new MongoFault(16, `Write batch sizes must be between 1 and ${maxBatch}. Got ${count} operations.`);
}

/** Runs the statements of a batch; the first error ends an ordered one. In a transaction any error is the command's. */
async function batch(operating: Operating, count: number, run: (i: number) => void | Promise<void>): Promise<Doc[]> {
  const errors: Doc[] = [];
  const ordered = operating.command.get("ordered") !== false;
  for (let i = 0; i < count; i++) {
    try {
      const running = run(i);
      if (running !== undefined) await running;
    } catch (error) {
      if (!(error instanceof MongoFault) || error.labels.length > 0 || error.code === 50) throw error;
      errors.push(writeError(i, error));
      if (ordered) break;
    }
  }
  return errors;
}

const withErrors = (reply: Record<string, Value>, errors: readonly Doc[]): Doc =>
  Doc.from(errors.length === 0 ? reply : { ...reply, writeErrors: [...errors] });

export const insert: Command = async (operating) => {
  const { command, db, engine } = operating;
  checkFields(command, insertFields);
  const documents = docList(command, "documents");
  checkBatch(documents.length);
  const name = nameOf(command);
  const collection = await patiently(operating, () => ensureCollection(operating, db, name));
  const bypass = flag(command, "bypassDocumentValidation");
  let n = 0;
  const errors = await batch(operating, documents.length, (i) => {
    engine.opcounters.insert++;
    const doc = documents[i] as Doc;
    try {
      insertDocument(operating, collection, doc, bypass);
      n++;
    } catch (error) {
      if (error instanceof MongoFault) throw error;
      return patiently(operating, () => insertDocument(operating, collection, doc, bypass)).then(() => {
        n++;
      });
    }
    return undefined;
  });
  return withErrors({ n }, errors);
};

const updateFields = new Set([
  "update",
  "updates",
  "ordered",
  "bypassDocumentValidation",
  "let",
  "bypassEmptyTsReplacement",
]);
const updateStatement = new Set([
  "q",
  "u",
  "c",
  "multi",
  "upsert",
  "collation",
  "arrayFilters",
  "hint",
  "sort",
  "upsertSupplied",
  "sampleId",
  "allowShardKeyUpdatesWithoutFullShardKeyInQuery",
]);

function checkStatement(statement: Doc, allowed: ReadonlySet<string>, what: string): void {
  for (const key of statement.keys)
    if (!allowed.has(key)) throw new MongoFault(40415, `BSON field '${what}.${key}' is an unknown field.`);
}

export const update: Command = async (operating) => {
  const { command, engine } = operating;
  checkFields(command, updateFields);
  const statements = docList(command, "updates");
  checkBatch(statements.length);
  const name = nameOf(command);
  const bypass = flag(command, "bypassDocumentValidation");
  let n = 0;
  let nModified = 0;
  const upserted: Doc[] = [];
  const errors = await batch(operating, statements.length, async (i) => {
    engine.opcounters.update++;
    const spec = statements[i] as Doc;
    checkStatement(spec, updateStatement, "update.updates");
    const result = await updateDocuments(operating, name, readUpdate(operating, spec, command.get("let"), bypass));
    n += result.matched + (result.upserted === undefined ? 0 : 1);
    nModified += result.modified;
    if (result.upserted !== undefined) upserted.push(Doc.from({ index: i, _id: result.upserted }));
  });
  return withErrors(upserted.length > 0 ? { n, upserted, nModified } : { n, nModified }, errors);
};

const deleteFields = new Set(["delete", "deletes", "ordered", "let"]);
const deleteStatement = new Set(["q", "limit", "collation", "hint", "sampleId"]);

export const remove: Command = async (operating) => {
  const { command, engine } = operating;
  checkFields(command, deleteFields);
  const statements = docList(command, "deletes");
  checkBatch(statements.length);
  const name = nameOf(command);
  let n = 0;
  const errors = await batch(operating, statements.length, async (i) => {
    engine.opcounters.delete++;
    const spec = statements[i] as Doc;
    checkStatement(spec, deleteStatement, "delete.deletes");
    n += (await deleteMatching(operating, name, readDelete(operating, spec, command.get("let")))).length;
  });
  return withErrors({ n }, errors);
};

const findAndModifyFields = new Set([
  "findAndModify",
  "findandmodify",
  "query",
  "sort",
  "remove",
  "update",
  "new",
  "fields",
  "upsert",
  "bypassDocumentValidation",
  "collation",
  "arrayFilters",
  "hint",
  "let",
]);

export const findAndModify: Command = async (operating) => {
  const { command } = operating;
  checkFields(command, findAndModifyFields);
  const name = nameOf(command);
  const returnsNew = flag(command, "new");
  if (flag(command, "remove")) {
    if (command.has("update")) throw new MongoFault(9, "Cannot specify both an update and remove=true");
    if (returnsNew)
      throw new MongoFault(
        9,
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
      );
    if (flag(command, "upsert")) throw new MongoFault(9, "Cannot specify both upsert=true and remove=true");
    const [gone] = await deleteMatching(operating, name, removal(operating));
    return Doc.from({ lastErrorObject: Doc.from({ n: gone === undefined ? 0 : 1 }), value: project(operating, gone) });
  }
  if (!command.has("update")) throw new MongoFault(9, "Either an update or remove=true must be specified");
  const statement = {
    ...readUpdate(operating, command, command.get("let"), flag(command, "bypassDocumentValidation"), {
      update: "update",
      filter: "query",
    }),
    multi: false,
  };
  const { matched, upserted, before, after } = await updateDocuments(operating, name, statement);
  const last = Doc.from({ n: matched + (upserted === undefined ? 0 : 1), updatedExisting: matched > 0, upserted });
  return Doc.from({ lastErrorObject: last, value: project(operating, returnsNew ? after : before) });
};

function removal(operating: Operating): DeleteStatement {
  const { command } = operating;
  const collation = collationOf(command);
  return {
    filter: optionalDoc(command, "query") ?? Doc.empty,
    sort: readSort(optionalDoc(command, "sort")),
    hint: command.get("hint"),
    collation,
    one: true,
    evaluation: evaluationOf(operating, collation, command.get("let")),
  };
}

function project(operating: Operating, doc: Doc | undefined): Doc | null {
  const { command } = operating;
  const fields = optionalDoc(command, "fields");
  if (doc === undefined) return null;
  if (fields === undefined || fields.size === 0) return doc;
  const evaluation = evaluationOf(operating, collationOf(command), command.get("let"));
  return compileProjection(
    fields,
    evaluation,
    compileFilter(optionalDoc(command, "query") ?? Doc.empty, evaluation),
  )(doc.view());
}
