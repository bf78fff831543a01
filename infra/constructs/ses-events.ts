import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnConfigurationSet, CfnConfigurationSetEventDestination } from "aws-cdk-lib/aws-ses";
import { Topic } from "aws-cdk-lib/aws-sns";
import { SqsSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Aws } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";

/** The configuration set of mails that the platform's account sends for organizations. */
export const configurationSetName = ({ stage }: Settings): string => `tenantry-${stage}`;

export const configurationSetArn = (settings: Settings): string =>
  `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:configuration-set/${configurationSetName(settings)}`;

/** What becomes of a mail. SES does not follow openings and clicks: it would change the links of all mails. */
const eventTypes = ["send", "reject", "bounce", "complaint", "delivery", "deliveryDelay"];

interface SesEventsProps {
  readonly settings: Settings;
  readonly queue: IQueue;
  /** For events that SNS cannot give to the queue. */
  readonly deadLetters: IQueue;
}

/** What SES reports about mails comes to a queue: a configuration set, its event destination, a topic, a subscription. */
export class SesEvents extends Construct {
  constructor(scope: Construct, id: string, { settings, queue, deadLetters }: SesEventsProps) {
    super(scope, id);
    const name = configurationSetName(settings);
    const configurationSet = new CfnConfigurationSet(this, "ConfigurationSet", { name });
    const topic = new Topic(this, "Topic", { displayName: `Tenantry ${settings.stage} mail events`, enforceSSL: true });
    const mayPublish = topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("ses.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID, "aws:SourceArn": configurationSetArn(settings) },
        },
      }),
    );
    topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true, deadLetterQueue: deadLetters }));
    const destination = new CfnConfigurationSetEventDestination(this, "Destination", {
      configurationSetName: name,
      eventDestination: {
        name: "queue",
        enabled: true,
        matchingEventTypes: eventTypes,
        snsDestination: { topicArn: topic.topicArn },
      },
    });
    destination.addResourceDependency(configurationSet);
    // SES tries to publish when the destination is made.
    if (mayPublish.policyDependable !== undefined) destination.node.addDependency(mayPublish.policyDependable);
  }
}
