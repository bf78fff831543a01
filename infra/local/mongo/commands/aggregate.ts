import { openCursor, type Source } from "../cursors.ts";
import type { Evaluation, Operating } from "../engine.ts";
import { MongoFault } from "../fault.ts";
import { isListed } from "../operators.ts";
import { writeMerge } from "../stages/merge.ts";
import { writeOut } from "../stages/output.ts";
import { openPipeline } from "../stages/pipeline.ts";
import { drain } from "../stages/stage.ts";
import { Doc } from "../values/document.ts";
import { isNumeric } from "../values/numbers.ts";
import type { Value } from "../values/types.ts";
import { type Command, checkFields, collationOf, evaluationOf, nonNegative, optionalDoc } from "./arguments.ts";

const aggregateFields = new Set([
  "aggregate",
  "pipeline",
  "cursor",
  "collation",
  "hint",
  "let",
  "allowDiskUse",
  "bypassDocumentValidation",
  "explain",
]);

/** The collection an aggregate reads; 1 stands for none. */
export function sourceName(command: Doc): string | undefined {
  const value = command.values[0];
  if (typeof value === "string") return value;
  if (isNumeric(value as Value)) return undefined;
  throw new MongoFault(73, "The aggregate command needs a collection name or 1");
}

export function stagesOf(command: Doc): readonly Value[] {
  const stages = command.get("pipeline");
  if (!Array.isArray(stages)) throw new MongoFault(14, "BSON field 'aggregate.pipeline' must be an array");
  return stages;
}

export const aggregate: Command = (operating) => {
  const { command, engine, db } = operating;
  checkFields(command, aggregateFields);
  if (command.get("explain") === true) throw new MongoFault(9, "use the explain command");
  const stages = stagesOf(command);
  const name = sourceName(command);
  const cursor = optionalDoc(command, "cursor");
  if (cursor === undefined)
    throw new MongoFault(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const collation = collationOf(command);
  const evaluation = evaluationOf(operating, collation, command.get("let"));
  const scope = { operating, db, collection: name, evaluation, collation, hint: command.get("hint") };
  const namespace = name === undefined ? `${db}.$cmd.aggregate` : `${db}.${name}`;
  const reply = (next: Source): Doc =>
    openCursor(engine.cursors, next, {
      namespace,
      batchSize: nonNegative(cursor, "batchSize"),
      single: false,
      session: undefined,
      time: engine.clock(),
    });
  const last = stages.at(-1);
  const writes =
    last instanceof Doc &&
    last.size === 1 &&
    (last.keys[0] === "$out" || last.keys[0] === "$merge") &&
    isListed("stages", last.keys[0]);
  if (!writes) return reply(openPipeline(scope, stages));
  return write(operating, last, openPipeline(scope, stages.slice(0, -1)), evaluation).then(() =>
    reply(() => undefined),
  );
};

async function write(operating: Operating, stage: Doc, source: Source, evaluation: Evaluation): Promise<void> {
  const name = stage.keys[0] as string;
  if (operating.transaction !== undefined) throw new MongoFault(263, `${name} cannot be used in a transaction`);
  // All is read before the first is written: the target may be the source.
  const docs = drain(source);
  let at = 0;
  const next: Source = () => docs[at++];
  const spec = stage.values[0] as Value;
  await (name === "$out" ? writeOut(operating, spec, next) : writeMerge(operating, spec, next, evaluation));
}
