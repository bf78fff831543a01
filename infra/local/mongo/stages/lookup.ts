import { bind, compile, fieldPath } from "../expressions/compile.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { failedToParse, MongoFault, unsupported } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { joinValues, setPlain, splitPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { drain, mapDocuments, viewsOf } from "./flow.ts";
import { joinOn, joinTest } from "./join.ts";
import { compilePipeline } from "./pipeline.ts";
import type { PipelineScope, StageCompiler } from "./stage.ts";

function text(spec: Doc, name: string): string | undefined {
  const value = spec.get(name);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw failedToParse(`$lookup argument '${name}: ${String(value)}' must be a string`);
  return value;
}

export const lookup: StageCompiler = (spec, scope) => {
  if (!(spec instanceof Doc)) throw failedToParse("the $lookup specification must be an Object");
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
    localField === undefined
      ? undefined
      : from === undefined
        ? joinDocuments(scope, (stages as Value[])[0] as Value, localField, foreignField as string)
        : joinFields(scope, from, localField, foreignField as string);
  // The first stage, $documents, is already part of the join.
  const [source, rest] =
    from === undefined && joined !== undefined ? ["", (stages as Value[]).slice(1)] : [from, stages];
  const piped = rest === undefined ? undefined : joinPipeline(scope, source, rest, spec.get("let"));
  const { frame } = scope.evaluation;
  return mapDocuments((doc) => {
    const matches = joined?.(doc);
    if (Array.isArray(matches) && piped === undefined) return setPlain(doc, target, matches);
    return joinSlowly(doc, matches);
  });

  function* joinSlowly(doc: Doc, joining: Joined | undefined): Coroutine<Doc> {
    const matches = joining === undefined || Array.isArray(joining) ? joining : yield* joining;
    frame[0] = doc;
    const result = piped === undefined ? (matches ?? []) : yield* piped(matches);
    return setPlain(doc, target, result);
  }
};

type Joined = Doc[] | Coroutine<Doc[]>;

function joinFields(
  { context, db, collation }: PipelineScope,
  from: string,
  localField: string,
  foreignField: string,
): (doc: Doc) => Doc[] | Coroutine<Doc[]> {
  const parts = fieldPath(localField);
  const join = joinOn({ context, db, collation, name: from, path: foreignField });
  return (doc) => join(localValues(doc, parts));
}

function joinDocuments(
  scope: PipelineScope,
  documents: Value,
  localField: string,
  foreignField: string,
): (doc: Doc) => Doc[] | Coroutine<Doc[]> {
  const parts = fieldPath(localField);
  const foreignParts = splitPath(foreignField);
  const pipeline = compilePipeline({ ...scope, collection: undefined, inside: "$lookup" }, [documents]);
  return function* (doc) {
    const found = yield* drain(yield* pipeline.open());
    return found.filter(joinTest(localValues(doc, parts), foreignParts, scope.collation));
  };
}

/** A missing field or an empty array is looked up as null. */
function localValues(doc: Doc, parts: readonly string[]): Value[] {
  const values = joinValues(doc, parts, []);
  return values.length === 0 ? [null] : values;
}

function joinPipeline(
  scope: PipelineScope,
  from: string | undefined,
  stages: Value,
  variables: Maybe,
): (matches: readonly Doc[] | undefined) => Coroutine<Doc[]> {
  if (!Array.isArray(stages)) throw new MongoFault("TypeMismatch", "'pipeline' option must be specified as an array");
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
  return function* (matches) {
    const held = values.map((value) => value(frame));
    bound.slots.forEach((slot, i) => {
      frame[slot] = held[i];
    });
    return yield* drain(matches === undefined ? yield* pipeline.open() : pipeline.over(viewsOf(matches)));
  };
}
