import { flag, nameOf, optionalDoc } from "../arguments/reading.ts";
import type { Command, CommandContext } from "../execution/context.ts";
import { collationOf, evaluationOf } from "../execution/evaluation.ts";
import { MongoFault } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import { compileProjection } from "../query/projection.ts";
import { Doc } from "../values/document.ts";
import { readSort } from "../values/sort.ts";
import { type DeleteStatement, deleteMatching } from "../writes/delete-statement.ts";
import { readUpdate, update as updateDocuments } from "../writes/update-statement.ts";

export const findAndModify: Command = function* (context) {
  const { command } = context;
  const name = nameOf(command);
  const returnsNew = flag(command, "new");
  if (flag(command, "remove")) {
    if (command.has("update")) throw new MongoFault("FailedToParse", "Cannot specify both an update and remove=true");
    if (returnsNew)
      throw new MongoFault(
        "FailedToParse",
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
      );
    if (flag(command, "upsert"))
      throw new MongoFault("FailedToParse", "Cannot specify both upsert=true and remove=true");
    const [gone] = yield* deleteMatching(context, name, removal(context));
    return Doc.from({ lastErrorObject: Doc.from({ n: gone === undefined ? 0 : 1 }), value: project(context, gone) });
  }
  if (!command.has("update"))
    throw new MongoFault("FailedToParse", "Either an update or remove=true must be specified");
  const statement = {
    ...readUpdate(context, command, command.get("let"), flag(command, "bypassDocumentValidation"), {
      update: "update",
      filter: "query",
    }),
    multi: false,
  };
  const { matched, upserted, before, after } = yield* updateDocuments(context, name, statement);
  const last = Doc.from({ n: matched + (upserted === undefined ? 0 : 1), updatedExisting: matched > 0, upserted });
  return Doc.from({ lastErrorObject: last, value: project(context, returnsNew ? after : before) });
};

function removal(context: CommandContext): DeleteStatement {
  const { command } = context;
  const collation = collationOf(command);
  return {
    filter: optionalDoc(command, "query") ?? Doc.empty,
    sort: readSort(optionalDoc(command, "sort")),
    hint: command.get("hint"),
    collation,
    one: true,
    evaluation: evaluationOf(context, collation, command.get("let")),
  };
}

function project(context: CommandContext, doc: Doc | undefined): Doc | null {
  const { command } = context;
  const fields = optionalDoc(command, "fields");
  if (doc === undefined) return null;
  if (fields === undefined || fields.size === 0) return doc;
  const evaluation = evaluationOf(context, collationOf(command), command.get("let"));
  return compileProjection(
    fields,
    evaluation,
    compileFilter(optionalDoc(command, "query") ?? Doc.empty, evaluation),
  )(doc.view());
}
