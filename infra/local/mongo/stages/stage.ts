import type { CommandContext } from "../execution/context.ts";
import type { Source } from "../execution/cursors.ts";
import type { Evaluation } from "../execution/evaluation.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { Collation } from "../values/collation.ts";
import type { Doc } from "../values/document.ts";
import type { Maybe, Value } from "../values/types.ts";

/** What the stages of one pipeline share. */
export interface PipelineScope {
  readonly context: CommandContext;
  readonly db: string;
  /** undefined where the pipeline begins with documents of its own. */
  readonly collection: string | undefined;
  readonly evaluation: Evaluation;
  readonly collation: Collation | undefined;
  readonly hint?: Maybe;
  /** The stage that the pipeline is part of; not every stage may stand inside of another. */
  readonly inside?: string;
}

export type Stage = (input: Source) => Source;
export type StageCompiler = (spec: Value, scope: PipelineScope, name: string) => Stage;

const compilers = new Map<string, StageCompiler>();

/** Some stages hold pipelines themselves, so they are handed in rather than imported (see registry.ts). */
export function registerStages(stages: Readonly<Record<string, StageCompiler>>): void {
  for (const name in stages) compilers.set(name, stages[name] as StageCompiler);
}

function stageNamed(name: string): StageCompiler {
  const stage = compilers.get(name);
  if (stage === undefined) throw new MongoFault("Location40324", `Unrecognized pipeline stage name: '${name}'`);
  return stage;
}

export function compileStage(stage: Doc, scope: PipelineScope): Stage {
  const name = stage.keys[0] as string;
  return stageNamed(name)(stage.values[0] as Value, scope, name);
}
