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
  /** undefined if the pipeline begins with $documents. */
  readonly collection: string | undefined;
  readonly evaluation: Evaluation;
  readonly collation: Collation | undefined;
  readonly hint?: Maybe;
  /** The stage that contains the pipeline. Some stages are not allowed there. */
  readonly inside?: string;
}

export type Stage = (input: Source) => Source;
export type StageCompiler = (spec: Value, scope: PipelineScope, name: string) => Stage;

const compilers = new Map<string, StageCompiler>();

/** Some stages contain pipelines, so stages are registered rather than imported (see registry.ts). */
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
