import { Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { TaskContract } from "#contracts/workflow";
import type { Needs } from "../constructs/needs.ts";
import { StateMachine, type StateMachineProps } from "../constructs/state-machine.ts";
import { WorkflowTask } from "../constructs/workflow-task.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";

/** What a workflow is, besides the contracts of its tasks. */
export interface Workflow {
  /** `task` gives the task of a step. */
  readonly definition: (task: (step: string) => WorkflowTask) => StateMachineProps["definition"];
  /** Step → the needs of its function besides the database. Steps without further needs may be left out. */
  readonly needs: Readonly<Record<string, Needs>>;
  /** The effect on users of an execution that does not succeed. */
  readonly impact: string;
}

export interface WorkflowsStackProps extends PlatformStackProps {
  readonly tasks: readonly TaskContract[];
  /** By the name that the contracts of the tasks use. */
  readonly workflows: Readonly<Record<string, Workflow>>;
}

/** The state machines, and the functions of their tasks. */
export class WorkflowsStack extends Stack {
  /** @throws Error if the workflows and the contracts of tasks do not match */
  constructor(scope: Construct, id: string, props: WorkflowsStackProps) {
    super(scope, id, props);
    const { settings, bundles, tasks, workflows } = props;
    for (const { workflow, step } of tasks) {
      if (!workflows[workflow]) throw new Error(`The task ${step} belongs to no workflow: ${workflow} is unknown`);
    }
    for (const [name, { definition, needs, impact }] of Object.entries(workflows)) {
      const mine = new Map(
        tasks
          .filter(({ workflow }) => workflow === name)
          .map((contract) => {
            const { step } = contract;
            const props = { settings, bundles, contract, needs: { database: true, ...needs[step] } as const };
            return [step, new WorkflowTask(this, `${name}-${step}`, props)];
          }),
      );
      const unknown = Object.keys(needs).find((step) => !mine.has(step));
      if (unknown !== undefined) throw new Error(`The workflow ${name} has no task ${unknown}`);
      const task = (step: string): WorkflowTask => {
        const found = mine.get(step);
        if (!found) throw new Error(`The workflow ${name} has no task ${step}`);
        return found;
      };
      new StateMachine(this, name, {
        settings,
        name,
        definition: definition(task),
        tasks: [...mine.values()],
        impact,
      });
    }
  }
}
