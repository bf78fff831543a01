import { docList, flag, nameOf } from "../arguments/reading.ts";
import { ensureCollection } from "../execution/collections.ts";
import type { Command } from "../execution/context.ts";
import { retryAfterLock } from "../execution/retry-after-lock.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { deleteMatching, readDelete } from "../writes/delete-statement.ts";
import { insert as insertDocument } from "../writes/records.ts";
import { readUpdate, update as updateDocuments } from "../writes/update-statement.ts";
import { batch, checkBatch, withErrors } from "./batch.ts";

export const insert: Command = function* (context) {
  const { command, db, engine } = context;
  const documents = docList(command, "documents");
  checkBatch(documents.length);
  const name = nameOf(command);
  const collection = yield* retryAfterLock(context, () => ensureCollection(context, db, name));
  const bypass = flag(command, "bypassDocumentValidation");
  let n = 0;
  const errors = yield* batch(context, documents.length, (i) => {
    engine.opcounters.insert++;
    const doc = documents[i] as Doc;
    try {
      insertDocument(context, collection, doc, bypass);
      n++;
    } catch (error) {
      if (error instanceof MongoFault) throw error;
      return retryAfterLock(context, () => {
        insertDocument(context, collection, doc, bypass);
        n++;
      });
    }
    return undefined;
  });
  return withErrors({ n }, errors);
};
export const update: Command = function* (context) {
  const { command, engine } = context;
  const statements = docList(command, "updates");
  checkBatch(statements.length);
  const name = nameOf(command);
  const bypass = flag(command, "bypassDocumentValidation");
  let n = 0;
  let nModified = 0;
  const upserted: Doc[] = [];
  const errors = yield* batch(context, statements.length, function* (i) {
    engine.opcounters.update++;
    const spec = statements[i] as Doc;
    const result = yield* updateDocuments(context, name, readUpdate(context, spec, command.get("let"), bypass));
    n += result.matched + (result.upserted === undefined ? 0 : 1);
    nModified += result.modified;
    if (result.upserted !== undefined) upserted.push(Doc.from({ index: i, _id: result.upserted }));
  });
  return withErrors(upserted.length > 0 ? { n, upserted, nModified } : { n, nModified }, errors);
};
export const remove: Command = function* (context) {
  const { command, engine } = context;
  const statements = docList(command, "deletes");
  checkBatch(statements.length);
  const name = nameOf(command);
  let n = 0;
  const errors = yield* batch(context, statements.length, function* (i) {
    engine.opcounters.delete++;
    const spec = statements[i] as Doc;
    n += (yield* deleteMatching(context, name, readDelete(context, spec, command.get("let")))).length;
  });
  return withErrors({ n }, errors);
};
