import { Construct } from "constructs";
import { faultTable } from "#contracts/fault-table";
import { type TaskContract, taskHandler } from "#contracts/workflow";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { HandlerFunction } from "./handler-function.ts";
import type { Needs } from "./needs.ts";

type Json = Readonly<Record<string, unknown>>;

export interface WorkflowTaskProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly contract: TaskContract;
  readonly needs: Needs;
}

/** Failures that another attempt may not meet: of the function's infrastructure, and faults with `retry`. */
const temporaryErrors = [
  "Lambda.ServiceException",
  "Lambda.AWSLambdaException",
  "Lambda.SdkClientException",
  "Lambda.TooManyRequestsException",
  "Lambda.Unknown",
  "Sandbox.Timedout",
  "States.Timeout",
  ...Object.entries(faultTable).flatMap(([code, { retry }]) => (retry ? [code] : [])),
];

const temporary = {
  ErrorEquals: temporaryErrors,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 30,
  MaxAttempts: 6,
  JitterStrategy: "FULL",
};

/** The Lambda of one step of a workflow. */
export class WorkflowTask extends Construct {
  readonly functionArn: string;
  private readonly timeout: number;

  constructor(scope: Construct, id: string, props: WorkflowTaskProps) {
    super(scope, id);
    const { contract } = props;
    const { workflow, step, summary } = contract;
    // The state waits longer than Lambda, so that a timeout is that of the function.
    const needs = { timeout: 60, ...props.needs };
    this.timeout = needs.timeout + 30;
    this.functionArn = new HandlerFunction(this, "Handler", {
      ...props,
      needs,
      handler: taskHandler(contract),
      name: `${workflow}-${step}`,
      description: summary,
      impact: `executions of the workflow ${workflow} repeat the step ${step}, or fail at it.`,
    }).function.functionArn;
  }

  /**
   * A Task state that runs the step on an input, a payload template. The result is `{output}`, the handler's. Temporary
   * failures are retried with backoff and full jitter, after the Retry of `rest`. Catch, ResultPath and the transition
   * are in `rest` too.
   */
  state(input: Json, rest: Json): Json {
    const { Retry = [], ...others } = rest;
    return {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: {
        FunctionName: this.functionArn,
        Payload: { "execution.$": "$$.Execution.Id", "attempt.$": "$$.State.RetryCount", input },
      },
      ResultSelector: { "output.$": "$.Payload" },
      TimeoutSeconds: this.timeout,
      ...others,
      Retry: [...[Retry].flat(), temporary],
    };
  }
}
