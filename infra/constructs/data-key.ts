import { Alias, Key } from "aws-cdk-lib/aws-kms";
import type { RemovalPolicy } from "aws-cdk-lib/core";
import type { Construct } from "constructs";

/** The KMS key that encrypts the data keys of secrets in the database. */
export const dataKey = (scope: Construct, stage: string, removalPolicy: RemovalPolicy): Key => {
  const key = new Key(scope, "DataKey", {
    description: `Tenantry ${stage}: encrypts secrets that are kept in the database`,
    enableKeyRotation: true,
    removalPolicy,
  });
  new Alias(scope, "DataKeyAlias", { aliasName: `alias/tenantry-${stage}-data`, targetKey: key });
  return key;
};
