import { expect, test } from "vitest";
import { actionsOf, synthesized } from "./synthesized.ts";

const { ofType, functions } = synthesized();

test("there is one bucket: private, encrypted, without versions, kept with its data, and cleaned by its rules", () => {
  const buckets = ofType("AWS::S3::Bucket");
  expect(buckets.map(({ stack }) => stack)).toEqual(["tenantry-dev-data"]);
  const [bucket] = buckets;
  expect(bucket?.deletionPolicy).toBe("Retain");
  expect(bucket?.properties).toMatchObject({
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
    LifecycleConfiguration: {
      Rules: [
        { Id: "webhooks", Prefix: "webhooks/", ExpirationInDays: 30, Status: "Enabled" },
        { Id: "billing", Prefix: "billing/", ExpirationInDays: 30, Status: "Enabled" },
        {
          Id: "unfinished-uploads",
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          Status: "Enabled",
        },
      ],
    },
  });
  expect(bucket?.properties).not.toHaveProperty("VersioningConfiguration");
});

test("the policy of the bucket denies everything without TLS, and allows nothing", () => {
  const statements = ofType("AWS::S3::BucketPolicy").map(({ properties }) => JSON.stringify(properties.PolicyDocument));
  expect(statements).toHaveLength(1);
  expect(statements[0]).toContain('"Condition":{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny"');
  expect(statements[0]).not.toContain('"Allow"');
});

test("functions reach files by prefix: who reads, writes, deletes and lists which", () => {
  const rights = functions.flatMap(({ handler, statements }) =>
    statements.flatMap(({ Action, Resource, Condition }) => {
      const [action = ""] = Action;
      if (!action.startsWith("s3:")) return [];
      const where = Resource.map((one) => /\/([a-z]+)\/\*"/.exec(one)?.[1] ?? JSON.stringify(Condition));
      return [`${handler} ${Action.join()} ${where.join()}`];
    }),
  );
  expect(rights.filter((right) => right.includes("documents")).toSorted()).toEqual([
    "functions/http/documents/get-document-content.ts s3:GetObject documents",
    "functions/http/documents/upload-document.ts s3:PutObject documents",
    "functions/queue/deliver-message.ts s3:GetObject documents",
    "functions/queue/email-webhook.ts s3:PutObject documents",
    "functions/queue/remove-files.ts s3:DeleteObject documents",
    "functions/schedule/sweep-files.ts s3:DeleteObject documents",
    'functions/schedule/sweep-files.ts s3:ListBucket {"StringLike":{"s3:prefix":["documents/*"]}}',
  ]);
  for (const lambda of functions) {
    const hasRight = actionsOf(lambda).some((action) => action.startsWith("s3:"));
    expect("FILES_BUCKET" in lambda.environment, lambda.name).toBe(hasRight);
  }
});
