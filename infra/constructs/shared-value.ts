import { StringParameter } from "aws-cdk-lib/aws-ssm";
import type { Construct } from "constructs";

/**
 * A value that one stack passes to others. SSM parameters are used instead of CloudFormation exports, because an export
 * cannot change while it is imported, so that the API of the core stack could never be replaced.
 */
export type SharedValue =
  | "alarm-topic-arn"
  | "api-endpoint"
  | "api-id"
  | "data-key-arn"
  | "mongodb-provisioning-secret-arn"
  | "mongodb-secret-arn"
  | "schedule-role-arn"
  | "signing-key-a-arn"
  | "signing-key-b-arn"
  | "vendors-secret-arn";

const sharedValueName = (stage: string, name: SharedValue): string => `/tenantry/${stage}/${name}`;

export const publishValue = (scope: Construct, stage: string, name: SharedValue, value: string): void => {
  new StringParameter(scope, `Shared-${name}`, { parameterName: sharedValueName(stage, name), stringValue: value });
};

/** Resolved by CloudFormation when the stack is deployed. */
export const sharedValue = (scope: Construct, stage: string, name: SharedValue): string =>
  StringParameter.valueForStringParameter(scope, sharedValueName(stage, name));
