import { createHash, type KeyObject, randomBytes } from "node:crypto";
import * as z from "zod";
import { account, arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { PrivateFiles } from "../data/private-files.ts";
import { evaluate, policyDocument, type Statement } from "../iam/policy.ts";
import { accessDenied, type Authority } from "../iam/service.ts";
import { type ConditionContext, type SdkCall, ServiceError } from "../sdk/call.ts";
import { jsonEndpoint, operation } from "../sdk/json-endpoint.ts";
import { declare, refuse, type Service, tags } from "../service.ts";
import { decrypt, encrypt, keyIdOf } from "./ciphertext.ts";
import { type KeySpec, keySpecs, materialOf } from "./key-material.ts";
import { publicKeyOf, signWith } from "./signing.ts";

const signingAlgorithm = "RSASSA_PKCS1_V1_5_SHA_256";

const keyProperties = z
  .strictObject({
    Description: z.string().optional(),
    KeySpec: z.enum(["RSA_2048", "RSA_3072", "RSA_4096", "SYMMETRIC_DEFAULT"]).default("SYMMETRIC_DEFAULT"),
    KeyUsage: z.enum(["ENCRYPT_DECRYPT", "SIGN_VERIFY"]).default("ENCRYPT_DECRYPT"),
    KeyPolicy: policyDocument.optional(),
    Enabled: z.literal(true).optional(),
    EnableKeyRotation: z.boolean().optional(),
    RotationPeriodInDays: z.number().optional(),
    PendingWindowInDays: z.number().optional(),
    MultiRegion: z.literal(false).optional(),
    Tags: tags.optional(),
  })
  .refine((one) => (one.KeySpec === "SYMMETRIC_DEFAULT") === (one.KeyUsage === "ENCRYPT_DECRYPT"), {
    message: "RSA keys sign (SIGN_VERIFY) and symmetric keys encrypt (ENCRYPT_DECRYPT) here",
  });

interface Key {
  readonly id: string;
  readonly arn: string;
  readonly spec: KeySpec;
  readonly usage: "ENCRYPT_DECRYPT" | "SIGN_VERIFY";
  readonly description: string;
  readonly policy: readonly Statement[];
  readonly created: number;
  readonly material: Promise<KeyObject>;
}

const base64 = z.base64().transform((text) => Buffer.from(text, "base64"));
const context = z.record(z.string(), z.string()).default({});
const grantTokens = z.array(z.string()).optional();
const keyName = z.string();

/** KMS with the keys of the templates. Private material stays in this process and in files of mode 600. */
export const kms = (options: { clock: Clock; files: PrivateFiles; authority: Authority }): Service => {
  const keys = new Map<string, Key>();
  const aliases = new Map<string, string>();

  const find = (name: string): Key => {
    const short = name.startsWith("arn:") ? name.split(":").slice(5).join(":") : name;
    const found = keys.get(aliases.get(short) ?? short.replace(/^key\//, ""));
    if (found !== undefined) return found;
    const what = short.startsWith("alias/") ? "Alias" : "Key";
    throw new ServiceError("NotFoundException", `${what} '${name.startsWith("arn:") ? name : arn("kms", short)}' does not exist`);
  };

  /** Both the key's policy and, where that leaves it to the account, the caller's own have to allow it. */
  const use = (name: string, action: string, call: SdkCall, more: ConditionContext = {}): Key => {
    const key = find(name);
    const alias = name.startsWith("arn:") ? name.split(":").slice(5).join(":") : name;
    const conditions: ConditionContext = {
      "kms:CallerAccount": account.id,
      "kms:KeySpec": key.spec,
      "kms:KeyUsage": key.usage,
      "kms:ResourceAliases": [...aliases].filter(([, id]) => id === key.id).map(([one]) => one),
      ...(alias.startsWith("alias/") && { "kms:RequestAlias": alias }),
      ...more,
    };
    const identity = options.authority.identitySays(call.caller, action, key.arn, conditions);
    const request = { action, resource: key.arn, context: conditions };
    const byKey = (principal: string): ReturnType<typeof evaluate> =>
      evaluate(key.policy.filter((one) => names(one, principal)), request);
    const direct = byKey(call.caller.kind === "role" ? call.caller.roleArn : arn("iam", "user/operator"));
    const delegated = byKey(arn("iam", "root"));
    if ([identity, direct, delegated].includes("deny")) throw accessDenied(call.caller, action, key.arn, true);
    if (direct === "allow" || (delegated === "allow" && identity === "allow")) return key;
    throw accessDenied(call.caller, action, key.arn, false);
  };

  const useFor = (usage: Key["usage"], ...argument: Parameters<typeof use>): Key => {
    const key = use(...argument);
    if (key.usage === usage) return key;
    throw new ServiceError("InvalidKeyUsageException", `${key.arn} key usage is ${key.usage} which is not valid for this.`);
  };

  return {
    name: "kms",
    resources: {
      "AWS::KMS::Key": declare(keyProperties, (properties, request) => {
        const id = stableId(`${request.stack}/${request.logicalId}`);
        const keyArn = arn("kms", `key/${id}`);
        const material = materialOf(id, properties.KeySpec, options.files);
        // Whoever uses the key first hears of a failure; until then it must not end the process.
        material.catch(() => undefined);
        keys.set(id, {
          id,
          arn: keyArn,
          spec: properties.KeySpec,
          usage: properties.KeyUsage,
          description: properties.Description ?? "",
          policy: properties.KeyPolicy ?? delegateToAccount,
          created: options.clock.now(),
          material,
        });
        return { ref: id, attributes: { Arn: keyArn, KeyId: id } };
      }),
      "AWS::KMS::Alias": declare(
        z.strictObject({ AliasName: z.string().startsWith("alias/"), TargetKeyId: z.string() }),
        ({ AliasName, TargetKeyId }, request) => {
          const id = TargetKeyId.split("/").at(-1) ?? "";
          if (!keys.has(id)) return refuse(request, `there is no key ${TargetKeyId}`);
          aliases.set(AliasName, id);
          return { ref: AliasName };
        },
      ),
    },
    stop: async () => {
      await Promise.allSettled([...keys.values()].map((key) => key.material));
    },
    endpoint: jsonEndpoint("kms", {
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
          return { KeyId: key.arn, CiphertextBlob: ciphertext.toString("base64"), EncryptionAlgorithm: "SYMMETRIC_DEFAULT" };
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
            throw new ServiceError("IncorrectKeyException", "The key ID in the request does not identify the ciphertext's key.");
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
    }),
  };
};

const conditionsOf = (encryptionContext: Readonly<Record<string, string>>): ConditionContext => ({
  ...Object.fromEntries(Object.entries(encryptionContext).map(([key, value]) => [`kms:EncryptionContext:${key}`, value])),
  ...(Object.keys(encryptionContext).length > 0 && { "kms:EncryptionContextKeys": Object.keys(encryptionContext) }),
});

const names = (statement: Statement, principal: string): boolean =>
  (statement.Principal?.AWS ?? []).some(
    (one) => one === "*" || one === principal || (one === account.id && principal === arn("iam", "root")),
  );

/** KMS's default key policy: the account decides by the policies of its identities. */
const delegateToAccount: readonly Statement[] = [
  { Effect: "Allow", Principal: { AWS: [arn("iam", "root")] }, Action: ["kms:*"], Resource: ["*"] },
];

/** A UUID that is the same at every start, so that kept material finds its key again. */
const stableId = (name: string): string =>
  createHash("sha256")
    .update(name)
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
