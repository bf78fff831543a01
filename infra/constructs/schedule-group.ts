import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Aws, Duration, Validations } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { runScheduled } from "#contracts/scheduled-work";
import type { Settings } from "../stacks/settings.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";
import type { Needs } from "./needs.ts";
import { functionName } from "./python-runner.ts";
import { publishValue, sharedValue } from "./shared-value.ts";

/** The group of all schedules that the platform makes at run time. */
export const scheduleGroupName = ({ stage }: Settings): string => `tenantry-${stage}`;

const deadLetterName = ({ stage }: Settings): string => `tenantry-${stage}-schedules-dead-letters`;

const targetArn = (settings: Settings): string =>
  `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName(settings, runScheduled.work)}`;

/** All schedules of the group. */
const schedulesArn = (settings: Settings, [partition, region, account]: readonly string[]): string =>
  `arn:${partition}:scheduler:${region}:${account}:schedule/${scheduleGroupName(settings)}/*`;

const allow = (actions: string[], resources: string[], conditions: Readonly<Record<string, unknown>> = {}) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });

/** What a function may do that makes schedules, and one that lists them. */
export const schedulePermissions = (scope: Construct, settings: Settings, needs: Needs): PolicyStatement[] => [
  ...(needs.schedules
    ? [
        allow(
          ["scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:GetSchedule", "scheduler:DeleteSchedule"],
          [schedulesArn(settings, [Aws.PARTITION, Aws.REGION, Aws.ACCOUNT_ID])],
        ),
        allow(["iam:PassRole"], [sharedValue(scope, settings.stage, "schedule-role-arn")], {
          StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
        }),
      ]
    : []),
  ...(needs.removesSchedules
    ? [allow(["scheduler:DeleteSchedule"], [schedulesArn(settings, [Aws.PARTITION, Aws.REGION, Aws.ACCOUNT_ID])])]
    : []),
  // AWS has no permission to list the schedules of one group.
  ...(needs.listsSchedules ? [allow(["scheduler:ListSchedules"], ["*"])] : []),
];

/** Lets the checks accept the wildcards of these permissions. */
export const acknowledgeSchedules = (role: Role, settings: Settings, needs: Needs): void => {
  if (needs.schedules || needs.removesSchedules) {
    const all = schedulesArn(settings, ["<AWS::Partition>", "<AWS::Region>", "<AWS::AccountId>"]);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${all}]`,
      reason: "The names of schedules are not known at the deployment. The group belongs to the platform alone.",
    });
  }
  if (needs.listsSchedules) {
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "AWS has no permission to list the schedules of one group.",
    });
  }
};

/** The environment variables of such a function. */
export const scheduleVariables = (scope: Construct, settings: Settings): Record<string, string> => ({
  SCHEDULE_GROUP: scheduleGroupName(settings),
  SCHEDULE_TARGET_ARN: targetArn(settings),
  SCHEDULE_ROLE_ARN: sharedValue(scope, settings.stage, "schedule-role-arn"),
  SCHEDULE_DEAD_LETTER_ARN: `arn:${Aws.PARTITION}:sqs:${Aws.REGION}:${Aws.ACCOUNT_ID}:${deadLetterName(settings)}`,
});

/** The group of the schedules, the role in whose name Scheduler invokes their one target, and what it gives up. */
export class ScheduleGroup extends Construct {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    new CfnScheduleGroup(this, "Group", { name: scheduleGroupName(settings) });
    const deadLetters = new Queue(this, "DeadLetters", {
      queueName: deadLetterName(settings),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(deadLetters).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "It is a dead-letter queue itself: that of EventBridge Scheduler.",
    });
    impactAlarm(this, "Dead", {
      settings,
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: "Maximum" }),
      threshold: 1,
      impact: "scheduled items did not run, because Scheduler could not invoke the function that runs them.",
      runbook: "schedules-lost",
    });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        needs: new PolicyDocument({
          statements: [
            allow(["lambda:InvokeFunction"], [targetArn(settings)]),
            allow(["sqs:SendMessage"], [deadLetters.queueArn]),
          ],
        }),
      },
    });
    publishValue(this, settings.stage, "schedule-role-arn", role.roleArn);
  }
}
