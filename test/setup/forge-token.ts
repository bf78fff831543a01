import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { inject } from "vitest";

const platform = inject("platform");

const kms = new KMSClient({
  endpoint: platform.awsEndpoint,
  region: platform.region,
  credentials: platform.credentials,
});

export type Claims = Record<string, unknown>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const part = (token: string, index: number): Claims =>
  JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"));

export const claimsOf = (token: string): Claims => part(token, 1);

export const headerOf = (token: string): Claims => part(token, 0);

/** A token with claims of our choice and a true signature of the platform's own key: what only a thief of the key could make. */
export const signedToken = async (claims: Claims, header: Claims = {}): Promise<string> => {
  const KeyId = `alias/tenantry-${platform.stage}-signing-a`;
  const { KeyId: arn } = await kms.send(new GetPublicKeyCommand({ KeyId }));
  const kid = arn?.slice(arn.lastIndexOf("/") + 1);
  const text = `${encode({ alg: "RS256", typ: "JWT", kid, ...header })}.${encode(claims)}`;
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId,
      Message: Buffer.from(text),
      MessageType: "RAW",
      SigningAlgorithm: "RSASSA_PKCS1_V1_5_SHA_256",
    }),
  );
  return `${text}.${Buffer.from(Signature ?? []).toString("base64url")}`;
};

/** The PEM of the key that signs, as anybody can read it from the JWKS. */
export const publicKeyDer = async (): Promise<Buffer> => {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: `alias/tenantry-${platform.stage}-signing-a` }));
  return Buffer.from(PublicKey ?? []);
};
