import { Alias, Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { RemovalPolicy } from "aws-cdk-lib/core";
import type { Construct } from "constructs";

export const signingKeyNames = ["a", "b"] as const;
export type SigningKeyName = (typeof signingKeyNames)[number];

const signingKeyAlias = (stage: string, name: SigningKeyName): string => `alias/tenantry-${stage}-signing-${name}`;

/**
 * The value of SIGNING_KEY_ALIASES: both keys are trusted, the first one signs. Functions that only verify get the same
 * order for either active key, so that a rotation changes the issuing functions only.
 */
export const signingKeyAliases = (stage: string, active: SigningKeyName): string =>
  [active, ...signingKeyNames.filter((name) => name !== active)].map((name) => signingKeyAlias(stage, name)).join(",");

export interface SigningKeyProps {
  readonly stage: string;
  readonly name: SigningKeyName;
  /** Another number creates a new key and points the alias to it. */
  readonly generation: number;
  readonly removalPolicy: RemovalPolicy;
}

/** A KMS key for signing access tokens with RS256. */
export const signingKey = (scope: Construct, { stage, name, generation, removalPolicy }: SigningKeyProps): Key => {
  const key = new Key(scope, generation === 1 ? `SigningKey-${name}` : `SigningKey-${name}-${generation}`, {
    description: `Tenantry ${stage}: signs access tokens (key ${name} of two, generation ${generation})`,
    keySpec: KeySpec.RSA_2048,
    keyUsage: KeyUsage.SIGN_VERIFY,
    removalPolicy,
  });
  new Alias(scope, `SigningKeyAlias-${name}`, { aliasName: signingKeyAlias(stage, name), targetKey: key });
  return key;
};
