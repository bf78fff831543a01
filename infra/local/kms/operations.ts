import { randomBytes } from "node:crypto";
import * as z from "zod";
import { account } from "../account.ts";
import { type ConditionContext, ServiceError } from "../sdk/call.ts";
import { jsonEndpoint, operation } from "../sdk/json-endpoint.ts";
import type { SdkEndpoint } from "../service.ts";
import { decrypt, encrypt, keyIdOf } from "./ciphertext.ts";
import type { KeyRing } from "./key-ring.ts";
import { publicKeyOf, signWith } from "./signing.ts";

const signingAlgorithm = "RSASSA_PKCS1_V1_5_SHA_256";

const base64 = z.base64().transform((text) => Buffer.from(text, "base64"));
const context = z.record(z.string(), z.string()).default({});
const grantTokens = z.array(z.string()).optional();
const keyName = z.string();

/** The operations of KMS on the keys of the templates. */
export const kmsEndpoint = ({ use, useFor }: KeyRing): SdkEndpoint =>
  jsonEndpoint("kms", {
    Sign: operation(
      z.strictObject({
        KeyId: keyName,
        Message: base64,
        MessageType: z.enum(["RAW", "DIGEST"]).default("RAW"),
        SigningAlgorithm: z.literal(signingAlgorithm),
        GrantTokens: grantTokens,
      }),
      async ({ KeyId, Message, MessageType, SigningAlgorithm }, call) => {
        const key = useFor("SIGN_VERIFY", KeyId, "kms:Sign", call, {
          "kms:SigningAlgorithm": SigningAlgorithm,
          "kms:MessageType": MessageType,
        });
        const signature = await signWith(await key.material, Message, MessageType);
        return { KeyId: key.arn, Signature: signature.toString("base64"), SigningAlgorithm };
      },
    ),
    GetPublicKey: operation(z.strictObject({ KeyId: keyName, GrantTokens: grantTokens }), async ({ KeyId }, call) => {
      const key = useFor("SIGN_VERIFY", KeyId, "kms:GetPublicKey", call);
      return {
        KeyId: key.arn,
        PublicKey: publicKeyOf(await key.material).toString("base64"),
        CustomerMasterKeySpec: key.spec,
        KeySpec: key.spec,
        KeyUsage: key.usage,
        SigningAlgorithms: [signingAlgorithm],
      };
    }),
    DescribeKey: operation(z.strictObject({ KeyId: keyName, GrantTokens: grantTokens }), ({ KeyId }, call) => {
      const key = use(KeyId, "kms:DescribeKey", call);
      return {
        KeyMetadata: {
          AWSAccountId: account.id,
          KeyId: key.id,
          Arn: key.arn,
          CreationDate: key.created / 1000,
          Enabled: true,
          Description: key.description,
          KeyUsage: key.usage,
          KeyState: "Enabled",
          Origin: "AWS_KMS",
          KeyManager: "CUSTOMER",
          KeySpec: key.spec,
          CustomerMasterKeySpec: key.spec,
          MultiRegion: false,
          ...(key.usage === "SIGN_VERIFY"
            ? { SigningAlgorithms: [signingAlgorithm] }
            : { EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"] }),
        },
      };
    }),
    Encrypt: operation(
      z.strictObject({
        KeyId: keyName,
        Plaintext: base64.refine((bytes) => bytes.length <= 4096, "has at most 4096 bytes"),
        EncryptionContext: context,
        EncryptionAlgorithm: z.literal("SYMMETRIC_DEFAULT").optional(),
        GrantTokens: grantTokens,
      }),
      async ({ KeyId, Plaintext, EncryptionContext }, call) => {
        const key = useFor("ENCRYPT_DECRYPT", KeyId, "kms:Encrypt", call, conditionsOf(EncryptionContext));
        const ciphertext = encrypt(key.id, await key.material, Plaintext, EncryptionContext);
        return {
          KeyId: key.arn,
          CiphertextBlob: ciphertext.toString("base64"),
          EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
        };
      },
    ),
    Decrypt: operation(
      z.strictObject({
        KeyId: keyName.optional(),
        CiphertextBlob: base64,
        EncryptionContext: context,
        EncryptionAlgorithm: z.literal("SYMMETRIC_DEFAULT").optional(),
        GrantTokens: grantTokens,
      }),
      async ({ KeyId, CiphertextBlob, EncryptionContext }, call) => {
        const maker = keyIdOf(CiphertextBlob);
        const name = KeyId ?? maker;
        const key = useFor("ENCRYPT_DECRYPT", name, "kms:Decrypt", call, conditionsOf(EncryptionContext));
        if (key.id !== maker) {
          throw new ServiceError(
            "IncorrectKeyException",
            "The key ID in the request does not identify the ciphertext's key.",
          );
        }
        const plaintext = decrypt(await key.material, CiphertextBlob, EncryptionContext);
        return { KeyId: key.arn, Plaintext: plaintext.toString("base64"), EncryptionAlgorithm: "SYMMETRIC_DEFAULT" };
      },
    ),
    GenerateDataKey: operation(
      z.strictObject({
        KeyId: keyName,
        KeySpec: z.enum(["AES_256", "AES_128"]).optional(),
        NumberOfBytes: z.number().int().min(1).max(1024).optional(),
        EncryptionContext: context,
        GrantTokens: grantTokens,
      }),
      async ({ KeyId, KeySpec, NumberOfBytes, EncryptionContext }, call) => {
        const key = useFor("ENCRYPT_DECRYPT", KeyId, "kms:GenerateDataKey", call, conditionsOf(EncryptionContext));
        if ((KeySpec === undefined) === (NumberOfBytes === undefined)) {
          throw new ServiceError("ValidationException", "Please specify either number of bytes or key spec.");
        }
        const plaintext = randomBytes(NumberOfBytes ?? (KeySpec === "AES_128" ? 16 : 32));
        const ciphertext = encrypt(key.id, await key.material, plaintext, EncryptionContext);
        return {
          KeyId: key.arn,
          Plaintext: plaintext.toString("base64"),
          CiphertextBlob: ciphertext.toString("base64"),
        };
      },
    ),
  });

const conditionsOf = (encryptionContext: Readonly<Record<string, string>>): ConditionContext => ({
  ...Object.fromEntries(
    Object.entries(encryptionContext).map(([key, value]) => [`kms:EncryptionContext:${key}`, value]),
  ),
  ...(Object.keys(encryptionContext).length > 0 && { "kms:EncryptionContextKeys": Object.keys(encryptionContext) }),
});
