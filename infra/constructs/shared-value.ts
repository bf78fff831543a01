import { StringParameter } from "aws-cdk-lib/aws-ssm";
import type { Construct } from "constructs";

/**
 * What one stack needs to know of another. It travels through SSM parameters and not through CloudFormation exports: an
 * export cannot change while someone imports it, which would lock the core stack to its API for ever.
 */
export type SharedValue =
  | "alarm-topic-arn"
  | "api-endpoint"
  | "api-id"
  | "data-key-arn"
  | "mongodb-secret-arn"
  | "signing-key-a-arn"
  | "signing-key-b-arn";

const sharedValueName = (stage: string, name: SharedValue): string => `/tenantry/${stage}/${name}`;

export const publishValue = (scope: Construct, stage: string, name: SharedValue, value: string): void => {
  new StringParameter(scope, `Shared-${name}`, { parameterName: sharedValueName(stage, name), stringValue: value });
};

/** The value as CloudFormation reads it when the stack is deployed. */
export const sharedValue = (scope: Construct, stage: string, name: SharedValue): string =>
  StringParameter.valueForStringParameter(scope, sharedValueName(stage, name));
