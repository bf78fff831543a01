import { docList, flag, nonNegative, optionalDoc } from "../arguments/reading.ts";
import { ensureCollection } from "../execution/collections.ts";
import type { Command, CommandContext } from "../execution/context.ts";
import { openCursor, sourceOf } from "../execution/cursors.ts";
import { retryAfterLock } from "../execution/retry-after-lock.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { badValue, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { double, type Value } from "../values/types.ts";
import { deleteMatching, readDelete } from "../writes/delete-statement.ts";
import { insert } from "../writes/records.ts";
import { readUpdate, update } from "../writes/update-statement.ts";
import { writeError } from "./batch.ts";

interface Totals {
  nInserted: number;
  nMatched: number;
  nModified: number;
  nUpserted: number;
  nDeleted: number;
}

/** https://www.mongodb.com/docs/manual/reference/command/bulkWrite/ */
export const bulkWrite: Command = function* (context) {
  const { command, engine } = context;
  const operations = docList(command, "ops");
  const namespaces = docList(command, "nsInfo").map((info) => splitNamespace(info.get("ns")));
  const ordered = command.get("ordered") !== false;
  const errorsOnly = flag(command, "errorsOnly");
  const totals: Totals = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const results: Doc[] = [];
  let nErrors = 0;
  for (let i = 0; i < operations.length; i++) {
    const operation = operations[i] as Doc;
    try {
      if (shouldYield()) yield;
      const [db, name] = namespaces[toInteger(operation.values[0]) ?? -1] ?? noNamespace(i);
      const result = yield* runOperation({ ...context, db }, name, operation, totals);
      if (!errorsOnly) results.push(Doc.from({ ok: double(1), idx: i, ...result }));
    } catch (error) {
      if (!(error instanceof MongoFault) || error.labels.length > 0) throw error;
      nErrors++;
      const fields = writeError(i, error).without("index");
      results.push(Doc.of(["ok", "idx", ...fields.keys, "n"], [double(0), i, ...fields.values, 0]));
      if (ordered) break;
    }
  }
  const batchSize = nonNegative(optionalDoc(command, "cursor") ?? Doc.empty, "batchSize");
  const reply = yield* openCursor(engine.cursors, sourceOf(results), {
    namespace: "admin.$cmd.bulkWrite",
    batchSize: batchSize ?? Number.POSITIVE_INFINITY,
    single: false,
    session: undefined,
    time: engine.clock(),
  });
  return Doc.of(
    [...reply.keys, "nErrors", ...Object.keys(totals)],
    [...reply.values, nErrors, ...Object.values(totals)],
  );
};

function noNamespace(i: number): never {
  throw badValue(`BulkWrite ops entry ${i} has an invalid nsInfo index.`);
}

function splitNamespace(namespace: Value | undefined): [string, string] {
  const text = typeof namespace === "string" ? namespace : "";
  const dot = text.indexOf(".");
  if (dot < 1) throw new MongoFault("InvalidNamespace", `Invalid namespace specified for bulkWrite: '${text}'`);
  return [text.slice(0, dot), text.slice(dot + 1)];
}

function* runOperation(
  context: CommandContext,
  name: string,
  operation: Doc,
  totals: Totals,
): Coroutine<Record<string, Value>> {
  const { command, engine } = context;
  const bypass = flag(command, "bypassDocumentValidation");
  switch (operation.keys[0]) {
    case "insert": {
      engine.opcounters.insert++;
      const doc = operation.get("document") as Doc;
      const collection = yield* retryAfterLock(context, () => ensureCollection(context, context.db, name));
      yield* retryAfterLock(context, () => insert(context, collection, doc, bypass));
      totals.nInserted++;
      return { n: 1 };
    }
    case "update": {
      engine.opcounters.update++;
      const statement = readUpdate(context, operation, command.get("let"), bypass, {
        update: "updateMods",
        filter: "filter",
      });
      const { matched, modified, upserted } = yield* update(context, name, statement);
      totals.nMatched += matched;
      totals.nModified += modified;
      if (upserted === undefined) return { n: matched, nModified: modified };
      totals.nUpserted++;
      return { n: 1, nModified: 0, upserted: Doc.from({ _id: upserted }) };
    }
    case "delete": {
      engine.opcounters.delete++;
      const spec = Doc.of(
        [...operation.keys, "q", "limit"],
        [...operation.values, operation.get("filter") as Doc, flag(operation, "multi") ? 0 : 1],
      );
      const gone = yield* deleteMatching(context, name, readDelete(context, spec, command.get("let")));
      totals.nDeleted += gone.length;
      return { n: gone.length };
    }
    default:
      throw badValue(`bulkWrite does not know the operation '${operation.keys[0]}'`);
  }
}
