import { nonNegative, optionalDoc } from "../arguments/reading.ts";
import { checkStage } from "../arguments/stages.ts";
import { findCollection } from "../execution/collections.ts";
import type { Command, CommandContext } from "../execution/context.ts";
import { openCursor, type Source } from "../execution/cursors.ts";
import { collationOf, type Evaluation, evaluationOf } from "../execution/evaluation.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { isSupported } from "../foundation/operators.ts";
import { drain, drainAsBytes } from "../stages/flow.ts";
import { compileMerge } from "../stages/merge.ts";
import { compileOut, type Write } from "../stages/output.ts";
import { openPipeline } from "../stages/pipeline.ts";
import { readFrom } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { isNumeric } from "../values/numbers.ts";
import type { Value } from "../values/types.ts";

/** The collection that an aggregate reads; undefined if the command has 1 in its place. */
export function sourceName(command: Doc): string | undefined {
  const value = command.values[0];
  if (typeof value === "string") return value;
  if (isNumeric(value as Value)) return undefined;
  throw new MongoFault("InvalidNamespace", "The aggregate command needs a collection name or 1");
}

export function stagesOf(command: Doc): readonly Value[] {
  const stages = command.get("pipeline");
  if (!Array.isArray(stages)) throw new MongoFault("TypeMismatch", "BSON field 'aggregate.pipeline' must be an array");
  return stages;
}

export const aggregate: Command = function* (context) {
  const { command, engine, db } = context;
  if (command.get("explain") === true) throw new MongoFault("FailedToParse", "use the explain command");
  const stages = stagesOf(command);
  const name = sourceName(command);
  const cursor = optionalDoc(command, "cursor");
  if (cursor === undefined)
    throw new MongoFault(
      "FailedToParse",
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  const collation = collationOf(command);
  const evaluation = evaluationOf(context, collation, command.get("let"));
  const scope = { context, db, collection: name, evaluation, collation, hint: command.get("hint") };
  const namespace = name === undefined ? `${db}.$cmd.aggregate` : `${db}.${name}`;
  const source = name === undefined ? undefined : findCollection(context, db, name);
  const reply = (next: Source): Coroutine<Doc> =>
    openCursor(engine.cursors, next, {
      namespace,
      batchSize: nonNegative(cursor, "batchSize"),
      single: false,
      session: undefined,
      time: engine.clock(),
      collection: source && readFrom(source),
    });
  const last = stages.at(-1);
  const writes =
    last instanceof Doc &&
    last.size === 1 &&
    (last.keys[0] === "$out" || last.keys[0] === "$merge") &&
    isSupported("stages", last.keys[0]);
  if (!writes) return yield* reply(yield* openPipeline(scope, stages));
  const write = compileWrite(context, last, evaluation);
  // All documents are read before the first write, since the target may be the source.
  const found = yield* openPipeline(scope, stages.slice(0, -1));
  const docs = yield* last.keys[0] === "$out" ? drainAsBytes(found) : drain(found);
  yield* write(docs);
  return yield* reply(() => undefined);
};

function compileWrite(context: CommandContext, stage: Doc, evaluation: Evaluation): Write {
  const name = stage.keys[0] as string;
  if (context.transaction !== undefined)
    throw new MongoFault("OperationNotSupportedInTransaction", `${name} cannot be used in a transaction`);
  const spec = stage.values[0] as Value;
  checkStage(name, spec);
  return name === "$out" ? compileOut(context, spec) : compileMerge(context, spec, evaluation);
}
