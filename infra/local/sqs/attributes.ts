import type { Queue } from "./queue.ts";

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html */
export const queueAttributes = ({ settings, counts }: Queue): Record<string, string | undefined> => {
  const { visible, delayed, inFlight } = counts();
  const created = String(Math.floor(settings.createdAt / 1000));
  const { redrive } = settings;
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
    VisibilityTimeout: String(settings.visibility),
    MaximumMessageSize: String(settings.largestMessage),
    MessageRetentionPeriod: String(settings.retention),
    DelaySeconds: String(settings.delay),
    ReceiveMessageWaitTimeSeconds: String(settings.waitTime),
    SqsManagedSseEnabled: "true",
    RedrivePolicy:
      redrive && JSON.stringify({ deadLetterTargetArn: redrive.deadLetterArn, maxReceiveCount: redrive.mostReceives }),
  };
};
