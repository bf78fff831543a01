import { S3Client } from "@aws-sdk/client-s3";
import { type Running, sdkSettings } from "./run.ts";

type Json = Readonly<Record<string, unknown>>;

export const Bucket = "files";

/** A bucket that nobody reaches without a role. */
export const bucket = (properties: Json = {}): Json => ({
  Type: "AWS::S3::Bucket",
  Properties: {
    BucketName: Bucket,
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    ...properties,
  },
});

export const operatorOf = (platform: Running): S3Client => new S3Client(sdkSettings(platform));
