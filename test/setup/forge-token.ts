import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import type { LaunchedPlatform } from "./launch-platform.ts";

export type Claims = Record<string, unknown>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const part = (token: string, index: number): Claims =>
  JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"));

export const claimsOf = (token: string): Claims => part(token, 1);

export const headerOf = (token: string): Claims => part(token, 0);

export interface TokenForge {
  /** A token with chosen claims and a valid signature, which only a thief of the platform's key could make. */
  sign(claims: Claims, header?: Claims): Promise<string>;
  /** The public half of the active key, as DER. */
  publicKey(): Promise<Buffer>;
}

/** Signs with the platform's own key, with an operator's rights. */
export const tokenForge = (access: LaunchedPlatform["access"]): TokenForge => {
  const kms = new KMSClient({ endpoint: access.awsEndpoint, region: access.region, credentials: access.credentials });
  const KeyId = `alias/tenantry-${access.stage}-signing-a`;
  let key: Promise<{ kid: string; der: Buffer }> | undefined;
  const fetchKey = async (): Promise<{ kid: string; der: Buffer }> => {
    const { KeyId: arn = "", PublicKey = new Uint8Array() } = await kms.send(new GetPublicKeyCommand({ KeyId }));
    return { kid: arn.slice(arn.lastIndexOf("/") + 1), der: Buffer.from(PublicKey) };
  };
  const known = (): Promise<{ kid: string; der: Buffer }> => {
    key ??= fetchKey();
    return key;
  };
  return {
    publicKey: async () => (await known()).der,
    sign: async (claims, header = {}) => {
      const text = `${encode({ alg: "RS256", typ: "JWT", kid: (await known()).kid, ...header })}.${encode(claims)}`;
      const { Signature = new Uint8Array() } = await kms.send(
        new SignCommand({
          KeyId,
          Message: Buffer.from(text),
          MessageType: "RAW",
          SigningAlgorithm: "RSASSA_PKCS1_V1_5_SHA_256",
        }),
      );
      return `${text}.${Buffer.from(Signature).toString("base64url")}`;
    },
  };
};
