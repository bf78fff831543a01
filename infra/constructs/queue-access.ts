import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Aws } from "aws-cdk-lib/core";
import type { Settings } from "../stacks/settings.ts";
import type { Needs } from "./needs.ts";
import { MAIL_QUEUE } from "./platform-mail.ts";

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

const sentQueues = ({ sends = [], mails }: Needs): string[] => [...new Set([...sends, ...(mails ? [MAIL_QUEUE] : [])])];

/** What a function may do with queues. */
export const queuePermissions = (settings: Settings, needs: Needs): PolicyStatement[] => [
  ...allow(
    ["SendMessage"],
    sentQueues(needs).map((queue) => queueArn(settings, queue)),
  ),
  ...(needs.redrives ? redrivePermissions(settings, needs.redrives) : []),
  // Lambda receives and deletes in the name of this role; the function itself decides when a failed message comes back.
  ...(needs.receives === undefined
    ? []
    : allow(
        ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"],
        [queueArn(settings, needs.receives)],
      )),
];

/** The environment variable with the URL of a queue: `RECORD_TRIGGER_QUEUE_URL`. */
const queueVariable = (queue: string): string => `${queue.toUpperCase().replaceAll("-", "_")}_QUEUE_URL`;

/** The environment variables of such a function. */
export const queueVariables = (settings: Settings, needs: Needs): Record<string, string> => ({
  ...Object.fromEntries(
    [...sentQueues(needs), ...(needs.receives === undefined ? [] : [needs.receives])].map((queue) => [
      queueVariable(queue),
      queueUrl(settings, queue),
    ]),
  ),
  ...(needs.redrives && { QUEUE_ARN_PREFIX: queueArn(settings, ""), QUEUE_URL_PREFIX: queueUrl(settings, "") }),
});
