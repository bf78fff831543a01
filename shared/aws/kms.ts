import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";

const client = new KMSClient({});

export interface PublicKey {
  /** The last part of the key's ARN: stays the same for the life of the key. */
  readonly keyId: string;
  /** DER, SubjectPublicKeyInfo. */
  readonly der: Uint8Array;
}

const lastPart = (arn: string): string => arn.slice(arn.lastIndexOf("/") + 1);

/** The public half of the key that an alias points to now. */
export const readPublicKey = async (alias: string): Promise<PublicKey> => {
  const { KeyId, PublicKey: der } = await client.send(new GetPublicKeyCommand({ KeyId: alias }));
  if (KeyId === undefined || der === undefined) throw new Error(`KMS returned no public key for ${alias}.`);
  return { keyId: lastPart(KeyId), der };
};

/** An RSASSA-PKCS1-v1_5 signature with SHA-256 over at most 4,096 bytes. */
export const signWith = async (keyId: string, message: Uint8Array): Promise<Uint8Array> => {
  const { Signature } = await client.send(
    new SignCommand({
      KeyId: keyId,
      Message: message,
      MessageType: "RAW",
      SigningAlgorithm: "RSASSA_PKCS1_V1_5_SHA_256",
    }),
  );
  if (Signature === undefined) throw new Error(`KMS returned no signature for ${keyId}.`);
  return Signature;
};
