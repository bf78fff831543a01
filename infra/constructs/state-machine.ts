import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnStateMachine } from "aws-cdk-lib/aws-stepfunctions";
import { Aws, RemovalPolicy, Stack, Validations } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";
import type { WorkflowTask } from "./workflow-task.ts";

export interface StateMachineProps {
  readonly settings: Settings;
  /** In kebab-case; the state machine is called `tenantry-<stage>-<name>`. */
  readonly name: string;
  /** In the Amazon States Language with JSONPath. Its execution has a time limit. */
  readonly definition: {
    readonly StartAt: string;
    readonly TimeoutSeconds: number;
    readonly States: Readonly<Record<string, unknown>>;
  };
  /** The tasks that it may invoke. */
  readonly tasks: readonly WorkflowTask[];
  /** The effect on users of an execution that does not succeed. */
  readonly impact: string;
}

/** AWS offers these actions for all resources only. */
const logDelivery = [
  "logs:CreateLogDelivery",
  "logs:GetLogDelivery",
  "logs:UpdateLogDelivery",
  "logs:DeleteLogDelivery",
  "logs:ListLogDeliveries",
  "logs:PutResourcePolicy",
  "logs:DescribeResourcePolicies",
  "logs:DescribeLogGroups",
];
const tracing = [
  "xray:PutTraceSegments",
  "xray:PutTelemetryRecords",
  "xray:GetSamplingRules",
  "xray:GetSamplingTargets",
];

const allow = (actions: string[], resources: string[]) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources });

/** A Standard workflow with a role that may invoke its tasks only, a log group, traces and an alarm. */
export class StateMachine extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, props: StateMachineProps) {
    super(scope, id);
    const { settings, name, definition, tasks, impact } = props;
    const stateMachineName = `tenantry-${settings.stage}-${name}`;
    // Log delivery may write to groups with this prefix without a resource policy for each.
    const logGroup = new LogGroup(this, "Logs", {
      logGroupName: `/aws/vendedlogs/states/${stateMachineName}`,
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const machine = new CfnStateMachine(this, "Machine", {
      stateMachineName,
      stateMachineType: "STANDARD",
      definitionString: Stack.of(this).toJsonString(definition),
      roleArn: this.role(tasks).roleArn,
      loggingConfiguration: {
        level: "ALL",
        // Inputs and outputs are in the history of an execution, which fewer people may read.
        includeExecutionData: false,
        destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logGroup.logGroupArn } }],
      },
      tracingConfiguration: { enabled: true },
    });
    this.arn = machine.ref;
    const metric = (metricName: string) =>
      new Metric({
        namespace: "AWS/States",
        metricName,
        dimensionsMap: { StateMachineArn: machine.ref },
        period: alarmPeriod,
        statistic: "Sum",
      });
    impactAlarm(this, "Unsuccessful", {
      settings,
      metric: new MathExpression({
        expression: "failed + late + aborted",
        usingMetrics: {
          failed: metric("ExecutionsFailed"),
          late: metric("ExecutionsTimedOut"),
          aborted: metric("ExecutionsAborted"),
        },
        period: alarmPeriod,
        label: "executions that did not succeed",
      }),
      threshold: 1,
      impact,
      runbook: "workflow-failed",
    });
  }

  private role(tasks: readonly WorkflowTask[]): Role {
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("states.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        needs: new PolicyDocument({
          statements: [
            allow(
              ["lambda:InvokeFunction"],
              tasks.map(({ functionArn }) => functionArn),
            ),
            allow([...logDelivery, ...tracing], ["*"]),
          ],
        }),
      },
    });
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "Log delivery and X-Ray have no permissions for single resources.",
    });
    return role;
  }
}
