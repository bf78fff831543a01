import { Effect, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Secret, type SecretProps } from "aws-cdk-lib/aws-secretsmanager";
import { Subscription, SubscriptionProtocol, Topic } from "aws-cdk-lib/aws-sns";
import { Aws, RemovalPolicy, SecretValue, Stack, Validations } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { dataKey } from "../constructs/data-key.ts";
import { filesBucket } from "../constructs/files-bucket.ts";
import { publishValue } from "../constructs/shared-value.ts";
import { signingKey, signingKeyNames } from "../constructs/signing-keys.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";
import type { Settings } from "./settings.ts";

const ATLAS_ROTATION =
  "The database users live in MongoDB Atlas, where Secrets Manager cannot rotate them; the runbook does.";

/** What must outlive the other stacks: keys, secrets, files, and the operators' topic. */
export class DataStack extends Stack {
  constructor(scope: Construct, id: string, props: PlatformStackProps) {
    super(scope, id, props);
    const { settings } = props;
    const { stage } = settings;
    const removalPolicy = settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

    const generations = { a: settings.signingKeyA, b: settings.signingKeyB };
    for (const name of signingKeyNames) {
      const key = signingKey(this, { stage, name, generation: generations[name], removalPolicy });
      publishValue(this, stage, `signing-key-${name}-arn`, key.keyArn);
    }
    publishValue(this, stage, "data-key-arn", dataKey(this, stage, removalPolicy).keyArn);
    publishValue(
      this,
      stage,
      "mongodb-secret-arn",
      settings.mongodbSecretArn ??
        this.givenSecret("Mongodb", {
          secretName: `tenantry/${stage}/mongodb`,
          description: `Tenantry ${stage}: the URI of every MongoDB cluster by its name`,
          removalPolicy,
          rotation: ATLAS_ROTATION,
        }),
    );
    publishValue(
      this,
      stage,
      "mongodb-provisioning-secret-arn",
      settings.mongodbProvisioningSecretArn ??
        this.givenSecret("MongodbProvisioning", {
          secretName: `tenantry/${stage}/mongodb-provisioning`,
          description: `Tenantry ${stage}: the same URIs with the database user that may also drop and rename`,
          removalPolicy,
          rotation: ATLAS_ROTATION,
        }),
    );
    filesBucket(this, settings, removalPolicy);
    publishValue(
      this,
      stage,
      "vendors-secret-arn",
      this.givenSecret("Vendors", {
        secretName: `tenantry/${stage}/vendors`,
        description: `Tenantry ${stage}: the platform's own accounts at vendors of mail, messages and payments`,
        removalPolicy,
        rotation: "The keys are made at the vendors, where Secrets Manager cannot rotate them; the runbook does.",
      }),
    );
    publishValue(this, stage, "alarm-topic-arn", this.alarmTopic(settings));
  }

  /**
   * A JSON object. Operators set the value; a deployment with the template's constant `{}` does not overwrite it.
   * `rotation`: why the platform does not rotate it.
   */
  private givenSecret(
    id: string,
    {
      rotation,
      ...props
    }: Required<Pick<SecretProps, "secretName" | "description" | "removalPolicy">> & { readonly rotation: string },
  ): string {
    const secret = new Secret(this, id, { ...props, secretStringValue: SecretValue.unsafePlainText("{}") });
    Validations.of(secret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: rotation,
    });
    return secret.secretArn;
  }

  private alarmTopic({ stage, alarmEmail }: Settings): string {
    const topic = new Topic(this, "Alarms", { displayName: `Tenantry ${stage} alarms`, enforceSSL: true });
    // A custom policy replaces the default one, which lets the account's alarms publish, so it repeats that statement.
    topic.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    );
    if (alarmEmail) {
      new Subscription(this, "AlarmEmail", { topic, protocol: SubscriptionProtocol.EMAIL, endpoint: alarmEmail });
    }
    return topic.topicArn;
  }
}
