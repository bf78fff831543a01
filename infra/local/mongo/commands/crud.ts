import { docList, flag, nameOf } from "../arguments/reading.ts";
import { ensureCollection } from "../execution/collections.ts";
import type { Command } from "../execution/context.ts";
import { patiently } from "../execution/lock-wait.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { deleteMatching, readDelete } from "../writes/delete-statement.ts";
import { readUpdate, update as updateDocuments } from "../writes/update-statement.ts";
import { insert as insertDocument } from "../writes/writes.ts";
import { batch, checkBatch, withErrors } from "./batch.ts";

export const insert: Command = function* (operating) {
  const { command, db, engine } = operating;
  const documents = docList(command, "documents");
  checkBatch(documents.length);
  const name = nameOf(command);
  const collection = yield* patiently(operating, () => ensureCollection(operating, db, name));
  const bypass = flag(command, "bypassDocumentValidation");
  let n = 0;
  const errors = yield* batch(operating, documents.length, (i) => {
    engine.opcounters.insert++;
    const doc = documents[i] as Doc;
    try {
      insertDocument(operating, collection, doc, bypass);
      n++;
    } catch (error) {
      if (error instanceof MongoFault) throw error;
      return patiently(operating, () => {
        insertDocument(operating, collection, doc, bypass);
        n++;
      });
    }
    return undefined;
  });
  return withErrors({ n }, errors);
};
export const update: Command = function* (operating) {
  const { command, engine } = operating;
  const statements = docList(command, "updates");
  checkBatch(statements.length);
  const name = nameOf(command);
  const bypass = flag(command, "bypassDocumentValidation");
  let n = 0;
  let nModified = 0;
  const upserted: Doc[] = [];
  const errors = yield* batch(operating, statements.length, function* (i) {
    engine.opcounters.update++;
    const spec = statements[i] as Doc;
    const result = yield* updateDocuments(operating, name, readUpdate(operating, spec, command.get("let"), bypass));
    n += result.matched + (result.upserted === undefined ? 0 : 1);
    nModified += result.modified;
    if (result.upserted !== undefined) upserted.push(Doc.from({ index: i, _id: result.upserted }));
  });
  return withErrors(upserted.length > 0 ? { n, upserted, nModified } : { n, nModified }, errors);
};
export const remove: Command = function* (operating) {
  const { command, engine } = operating;
  const statements = docList(command, "deletes");
  checkBatch(statements.length);
  const name = nameOf(command);
  let n = 0;
  const errors = yield* batch(operating, statements.length, function* (i) {
    engine.opcounters.delete++;
    const spec = statements[i] as Doc;
    n += (yield* deleteMatching(operating, name, readDelete(operating, spec, command.get("let")))).length;
  });
  return withErrors({ n }, errors);
};
