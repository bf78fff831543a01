import {
  DecryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
} from "@aws-sdk/client-kms";
import { inTime } from "./in-time.ts";

const client = new KMSClient({});

/** Much longer than KMS usually takes. */
const PATIENCE_MS = 5_000;

export interface PublicKey {
  /** The last part of the key's ARN, which never changes. */
  readonly keyId: string;
  /** DER, SubjectPublicKeyInfo. */
  readonly der: Uint8Array;
}

const lastPart = (arn: string): string => arn.slice(arn.lastIndexOf("/") + 1);

/** The public half of the key that an alias currently points to. */
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

/** The encryption context: decryption requires the same one. Not secret. */
export type EncryptionContext = Readonly<Record<string, string>>;

/** A new key of 256 bits, in plain text and encrypted under the KMS key. */
export const newDataKey = async (
  keyId: string,
  EncryptionContext: EncryptionContext,
): Promise<{ plain: Uint8Array; encrypted: Uint8Array }> => {
  const command = new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: "AES_256", EncryptionContext });
  const { Plaintext, CiphertextBlob } = await inTime(PATIENCE_MS, (abortSignal) =>
    client.send(command, { abortSignal }),
  );
  if (Plaintext === undefined || CiphertextBlob === undefined) throw new Error("KMS returned no data key.");
  return { plain: Plaintext, encrypted: CiphertextBlob };
};

/** Decrypts a data key. */
export const openDataKey = async (
  keyId: string,
  encrypted: Uint8Array,
  EncryptionContext: EncryptionContext,
): Promise<Uint8Array> => {
  const command = new DecryptCommand({ KeyId: keyId, CiphertextBlob: encrypted, EncryptionContext });
  const { Plaintext } = await inTime(PATIENCE_MS, (abortSignal) => client.send(command, { abortSignal }));
  if (Plaintext === undefined) throw new Error("KMS returned no data key.");
  return Plaintext;
};
