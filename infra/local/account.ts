/** The AWS account of the local platform. */
export const account = {
  partition: "aws",
  region: "us-east-1",
  id: "000000000000",
} as const;

/** The ARN of a resource of this account. IAM's ARNs have no region. */
export const arn = (service: string, resource: string): string =>
  `arn:${account.partition}:${service}:${service === "iam" ? "" : account.region}:${account.id}:${resource}`;
