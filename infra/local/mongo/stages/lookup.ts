import { bind, compile, fieldPath } from "../expressions/compile.ts";
import { failedToParse, MongoFault, unsupported } from "../fault.ts";
import { Doc } from "../values/document.ts";
import { readPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { setPlain } from "./document-paths.ts";
import { joinOn } from "./join.ts";
import { compilePipeline } from "./pipeline.ts";
import { drain, type PipelineScope, type StageCompiler } from "./stage.ts";

const fields = new Set(["from", "as", "localField", "foreignField", "let", "pipeline"]);

function text(spec: Doc, name: string): string | undefined {
  const value = spec.get(name);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw failedToParse(`$lookup argument '${name}: ${String(value)}' must be a string`);
  return value;
}

export const lookup: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw failedToParse("the $lookup specification must be an Object");
  for (const key of spec.keys) if (!fields.has(key)) throw failedToParse(`unknown argument to $lookup: ${key}`);
  if (spec.get("from") instanceof Doc) throw unsupported("$lookup into another database");
  const from = text(spec, "from");
  const as = text(spec, "as");
  if (as === undefined) throw failedToParse("must specify 'as' field for a $lookup");
  const target = fieldPath(as);
  const localField = text(spec, "localField");
  const foreignField = text(spec, "foreignField");
  if ((localField === undefined) !== (foreignField === undefined))
    throw failedToParse("$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  const stages = spec.get("pipeline");
  if (stages === undefined && localField === undefined)
    throw failedToParse("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  if (stages === undefined && spec.has("let"))
    throw failedToParse("$lookup with a 'let' argument must also specify 'pipeline'");
  if (from === undefined && !(Array.isArray(stages) && stages[0] instanceof Doc && stages[0].keys[0] === "$documents"))
    throw failedToParse("missing 'from' option to $lookup stage specification");
  const joined =
    localField === undefined || from === undefined
      ? undefined
      : joinFields(scope, from, localField, foreignField as string);
  const piped = stages === undefined ? undefined : joinPipeline(scope, from, stages, spec.get("let"));
  const { frame } = scope.evaluation;
  return (input) => () => {
    const doc = input();
    if (doc === undefined) return undefined;
    frame[0] = doc;
    const matches = joined?.(doc);
    const result = piped === undefined ? (matches ?? []) : piped(matches);
    return setPlain(doc, target, result);
  };
};

function joinFields(
  { operating, db, collation }: PipelineScope,
  from: string,
  localField: string,
  foreignField: string,
): (doc: Doc) => Doc[] {
  const parts = fieldPath(localField);
  const join = joinOn({ operating, db, collation, name: from, path: foreignField });
  return (doc) => join(localValues(readPath(doc, parts)));
}

/** Each element of a local array is looked for; a missing field is looked for as null. */
function localValues(value: Maybe): Value[] {
  if (value === undefined) return [null];
  return Array.isArray(value) ? value : [value];
}

function joinPipeline(
  scope: PipelineScope,
  from: string | undefined,
  stages: Value,
  variables: Maybe,
): (matches: readonly Doc[] | undefined) => Doc[] {
  if (!Array.isArray(stages)) throw new MongoFault(14, "'pipeline' option must be specified as an array");
  if (variables !== undefined && !(variables instanceof Doc))
    throw failedToParse("$lookup argument 'let' must be an object");
  const { evaluation } = scope;
  const values = (variables?.values ?? []).map((value) => compile(value, evaluation.scope));
  const bound = bind(evaluation.scope, variables?.keys ?? []);
  const { frame } = evaluation;
  const pipeline = compilePipeline(
    { ...scope, collection: from, evaluation: { ...evaluation, scope: bound.scope }, inside: "$lookup" },
    stages,
  );
  return (matches) => {
    const held = values.map((value) => value(frame));
    bound.slots.forEach((slot, i) => {
      frame[slot] = held[i];
    });
    if (matches === undefined) return drain(pipeline.open());
    let at = 0;
    return drain(pipeline.over(() => matches[at++]?.view()));
  };
}
