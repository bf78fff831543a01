import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Aws } from "aws-cdk-lib/core";
import type { Settings } from "../stacks/settings.ts";
import type { Needs } from "./needs.ts";

/** Queues are named, and not taken from their stack, whose own functions send to them too. */
const queueArn = ({ stage }: Settings, queue: string): string =>
  `arn:${Aws.PARTITION}:sqs:${Aws.REGION}:${Aws.ACCOUNT_ID}:tenantry-${stage}-${queue}`;

const queueUrl = ({ stage }: Settings, queue: string): string =>
  `https://sqs.${Aws.REGION}.${Aws.URL_SUFFIX}/${Aws.ACCOUNT_ID}/tenantry-${stage}-${queue}`;

const allow = (actions: readonly string[], resources: string[]): PolicyStatement[] =>
  resources.length === 0
    ? []
    : [new PolicyStatement({ effect: Effect.ALLOW, actions: actions.map((action) => `sqs:${action}`), resources })];

/** SQS receives, deletes and sends in the name of whoever starts the task. */
const redrivePermissions = (settings: Settings, queues: readonly string[]): PolicyStatement[] => {
  const sources = queues.map((queue) => queueArn(settings, queue));
  const dead = queues.map((queue) => queueArn(settings, `${queue}-dead-letters`));
  return [
    ...allow(["StartMessageMoveTask", "ListMessageMoveTasks", "ReceiveMessage", "DeleteMessage"], dead),
    ...allow(["SendMessage"], sources),
    ...allow(["GetQueueAttributes"], [...sources, ...dead, queueArn(settings, "schedules-dead-letters")]),
  ];
};

/** What a function may do with queues. */
export const queuePermissions = (settings: Settings, { sends = [], redrives, receives }: Needs): PolicyStatement[] => [
  ...allow(
    ["SendMessage"],
    sends.map((queue) => queueArn(settings, queue)),
  ),
  ...(redrives ? redrivePermissions(settings, redrives) : []),
  // Lambda receives and deletes in the name of this role; the function itself decides when a failed message comes back.
  ...(receives === undefined
    ? []
    : allow(
        ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"],
        [queueArn(settings, receives)],
      )),
];

/** The environment variable with the URL of a queue: `RECORD_TRIGGER_QUEUE_URL`. */
const queueVariable = (queue: string): string => `${queue.toUpperCase().replaceAll("-", "_")}_QUEUE_URL`;

/** The environment variables of such a function. */
export const queueVariables = (
  settings: Settings,
  { sends = [], redrives, receives }: Needs,
): Record<string, string> => ({
  ...Object.fromEntries(
    [...sends, ...(receives === undefined ? [] : [receives])].map((queue) => [
      queueVariable(queue),
      queueUrl(settings, queue),
    ]),
  ),
  ...(redrives && { QUEUE_ARN_PREFIX: queueArn(settings, ""), QUEUE_URL_PREFIX: queueUrl(settings, "") }),
});
