import { checkArguments } from "../arguments/commands.ts";
import { docList, nameOf, optionalDoc } from "../arguments/reading.ts";
import { findCollection } from "../execution/collections.ts";
import type { Command, CommandContext } from "../execution/context.ts";
import { collationOf, evaluationOf } from "../execution/evaluation.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { Counters } from "../query/execute.ts";
import { runQuery } from "../query/find.ts";
import type { IndexPlan, Plan } from "../query/plan.ts";
import { compilePipeline } from "../stages/pipeline.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { readSort } from "../values/sort.ts";
import type { Value } from "../values/types.ts";
import { sourceName, stagesOf } from "./aggregate.ts";

/** Explains a command by running its read part. Nothing is written. */
export const explain: Command = function* (context) {
  const { command } = context;
  const inner = command.values[0] as Doc;
  checkArguments(inner);
  const verbosity = command.get("verbosity") ?? "allPlansExecution";
  const asked: CommandContext = { ...context, command: inner };
  const { plan, counters, returned, filter } = yield* examine(asked);
  const namespace = `${context.db}.${String(inner.values[0])}`;
  const winning = describe(plan);
  const planner = Doc.from({
    namespace,
    parsedQuery: filter,
    indexFilterSet: false,
    winningPlan: winning,
    rejectedPlans: [],
  });
  const stats = Doc.from({
    executionSuccess: true,
    nReturned: returned,
    executionTimeMillis: 0,
    totalKeysExamined: counters.keys,
    totalDocsExamined: counters.docs,
    executionStages: winning,
  });
  return Doc.from({
    explainVersion: "1",
    queryPlanner: planner,
    executionStats: verbosity === "queryPlanner" ? undefined : stats,
    command: inner,
    serverInfo: Doc.from({ version: "8.0.0" }),
  });
};

interface Examined {
  readonly plan: Plan;
  readonly counters: Counters;
  readonly returned: number;
  readonly filter: Doc;
}

function* examine(context: CommandContext): Coroutine<Examined> {
  const { command, db } = context;
  switch (command.keys[0]) {
    case "find":
      return yield* query(context, nameOf(command), command, "filter", toInteger(command.get("limit")) || undefined);
    case "count":
    case "distinct":
      return yield* query(context, nameOf(command), command, "query", undefined);
    case "findAndModify":
    case "findandmodify":
      return yield* query(context, nameOf(command), command, "query", 1);
    case "update":
      return yield* query(context, nameOf(command), docList(command, "updates")[0] ?? Doc.empty, "q", undefined);
    case "delete":
      return yield* query(context, nameOf(command), docList(command, "deletes")[0] ?? Doc.empty, "q", undefined);
    case "aggregate": {
      const evaluation = evaluationOf(context, collationOf(command), command.get("let"));
      const stages = stagesOf(command).filter(
        (stage) => !(stage instanceof Doc && (stage.keys[0] === "$out" || stage.keys[0] === "$merge")),
      );
      const pipeline = compilePipeline(
        {
          context,
          db,
          collection: sourceName(command),
          evaluation,
          collation: collationOf(command),
          hint: command.get("hint"),
        },
        stages,
      );
      return { ...(yield* pipeline.explain()), filter: Doc.empty };
    }
    default:
      throw new MongoFault("CommandNotFound", `Explain failed due to unknown command: ${command.keys[0]}`);
  }
}

function* query(
  context: CommandContext,
  name: string,
  options: Doc,
  field: string,
  limit: number | undefined,
): Coroutine<Examined> {
  const filter = optionalDoc(options, field) ?? Doc.empty;
  const collection = findCollection(context, context.db, name);
  if (collection === undefined)
    return { plan: { kind: "nothing" }, counters: { keys: 0, docs: 0 }, returned: 0, filter };
  const collation = collationOf(options);
  const evaluation = evaluationOf(context, collation, options.get("let"));
  const { plan, counters, found } = yield* runQuery(
    context,
    collection,
    {
      filter,
      collation,
      limit,
      hint: options.get("hint"),
      sort: readSort(optionalDoc(options, "sort")),
      skip: toInteger(options.get("skip") ?? 0) ?? 0,
    },
    evaluation,
  );
  return { plan, counters, filter, returned: found.length };
}

function describe(plan: Plan): Doc {
  switch (plan.kind) {
    case "scan":
      return Doc.from({ stage: "COLLSCAN", direction: "forward" });
    case "nothing":
      return Doc.from({ stage: "EOF" });
    case "or":
      return Doc.from({ stage: "FETCH", inputStage: Doc.from({ stage: "OR", inputStages: plan.plans.map(scanOf) }) });
    case "index": {
      const fetch = Doc.from({ stage: "FETCH", inputStage: scanOf(plan) });
      return plan.sorted ? fetch : Doc.from({ stage: "SORT", inputStage: fetch });
    }
  }
}

const scanOf = ({ index, backward, ranges }: IndexPlan): Value =>
  Doc.from({
    stage: "IXSCAN",
    keyPattern: index.spec.get("key"),
    indexName: index.name,
    isMultiKey: index.multikey.includes(true),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: backward ? "backward" : "forward",
    ranges: ranges.length,
  });
