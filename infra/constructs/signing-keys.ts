import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { RemovalPolicy } from "aws-cdk-lib/core";
import type { Construct } from "constructs";

export const signingKeyNames = ["a", "b"] as const;
export type SigningKeyName = (typeof signingKeyNames)[number];

export const signingKeyAlias = (stage: string, name: SigningKeyName): string =>
  `alias/tenantry-${stage}-signing-${name}`;

/**
 * The value of SIGNING_KEY_ALIASES: both keys are trusted, the first one signs. Functions that only verify get the same
 * order whichever key is active, so that a rotation touches nothing but the issuers.
 */
export const signingKeyAliases = (stage: string, active: SigningKeyName): string =>
  [active, ...signingKeyNames.filter((name) => name !== active)].map((name) => signingKeyAlias(stage, name)).join(",");

/** The two keys that sign access tokens, RS256: KMS keeps the private halves and never shows them. */
export const signingKeys = (
  scope: Construct,
  stage: string,
  removalPolicy: RemovalPolicy,
): Record<SigningKeyName, Key> => {
  const key = (name: SigningKeyName) =>
    new Key(scope, `SigningKey-${name}`, {
      alias: signingKeyAlias(stage, name),
      description: `Tenantry ${stage}: signs access tokens (key ${name} of two)`,
      keySpec: KeySpec.RSA_2048,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });
  return { a: key("a"), b: key("b") };
};
