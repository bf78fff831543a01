import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Aws, Duration, type RemovalPolicy, Validations } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";

/** What the bucket holds, by the first part of a key. */
type FilePrefix = "billing" | "documents" | "webhooks";

/** What a function may do with objects, by prefix. */
export interface FileNeeds {
  readonly reads?: readonly FilePrefix[];
  readonly writes?: readonly FilePrefix[];
  readonly deletes?: readonly FilePrefix[];
  /** Lists keys. Without it S3 answers 403 to the read of a key that does not exist. */
  readonly lists?: readonly FilePrefix[];
}

/** Days that bodies are kept as vendors sent them: longer than a dead letter (14), which may name one. */
const RECEIVED_DAYS = 30;

/** Unique in the world, and known to other stacks without a reference. */
const bucketName = ({ stage }: Settings, [account, region] = [Aws.ACCOUNT_ID as string, Aws.REGION as string]) =>
  `tenantry-${stage}-files-${account}-${region}`;

const bucketArn = (settings: Settings, partition: string = Aws.PARTITION, place?: [string, string]): string =>
  `arn:${partition}:s3:::${bucketName(settings, place)}`;

/** The statements that a role needs. Only objects are named; the bucket itself is listed by prefix. */
export const filePermissions = (
  settings: Settings,
  { reads = [], writes = [], deletes = [], lists = [] }: FileNeeds,
): PolicyStatement[] => {
  const objects = (actions: string[], prefixes: readonly FilePrefix[]): PolicyStatement[] =>
    prefixes.length === 0
      ? []
      : [new PolicyStatement({ actions, resources: prefixes.map((prefix) => `${bucketArn(settings)}/${prefix}/*`) })];
  return [
    ...objects(["s3:GetObject"], reads),
    ...objects(["s3:PutObject"], writes),
    ...objects(["s3:DeleteObject"], deletes),
    ...(lists.length === 0
      ? []
      : [
          new PolicyStatement({
            actions: ["s3:ListBucket"],
            resources: [bucketArn(settings)],
            conditions: { StringLike: { "s3:prefix": lists.map((prefix) => `${prefix}/*`) } },
          }),
        ]),
  ];
};

/** Lets the checks accept the wildcards of these permissions. */
export const acknowledgeFiles = (role: Construct, settings: Settings, needs: FileNeeds): void => {
  const place: [string, string] = ["<AWS::AccountId>", "<AWS::Region>"];
  const prefixes = new Set([...(needs.reads ?? []), ...(needs.writes ?? []), ...(needs.deletes ?? [])]);
  for (const prefix of prefixes) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${bucketArn(settings, "<AWS::Partition>", place)}/${prefix}/*]`,
      reason: "The keys of objects are not known at the deployment. The prefix belongs to the platform alone.",
    });
  }
};

export const fileVariables = (settings: Settings): Record<string, string> => ({ FILES_BUCKET: bucketName(settings) });

/**
 * The bucket of a stage: raw bodies of webhooks and of billing events, and the files of documents. Without versions, so that a deleted file
 * is gone.
 */
export const filesBucket = (scope: Construct, settings: Settings, removalPolicy: RemovalPolicy): Bucket => {
  const bucket = new Bucket(scope, "Files", {
    bucketName: bucketName(settings),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    versioned: false,
    removalPolicy,
    lifecycleRules: [
      { id: "webhooks", prefix: "webhooks/", expiration: Duration.days(RECEIVED_DAYS) },
      { id: "billing", prefix: "billing/", expiration: Duration.days(RECEIVED_DAYS) },
      { id: "unfinished-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
  Validations.of(bucket).acknowledge({
    id: "AwsSolutions-S1",
    reason: "Only the platform's functions reach the bucket, and each logs the requests that it serves.",
  });
  return bucket;
};
