import { createHash } from "node:crypto";
import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { PrivateFiles } from "../data/private-files.ts";
import { policyDocument, type Statement } from "../iam/policy.ts";
import type { Authority } from "../iam/service.ts";
import { declare, refuse, type Service, tags } from "../service.ts";
import { materialOf } from "./key-material.ts";
import { keyRing } from "./key-ring.ts";
import { kmsEndpoint } from "./operations.ts";

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

/** KMS with the keys of the templates. Private material stays in this process and in files of mode 600. */
export const kms = (options: { clock: Clock; files: PrivateFiles; authority: Authority }): Service => {
  const ring = keyRing(options.authority);
  return {
    name: "kms",
    resources: {
      "AWS::KMS::Key": declare(keyProperties, (properties, request) => {
        const id = stableId(`${request.stack}/${request.logicalId}`);
        const keyArn = arn("kms", `key/${id}`);
        const material = materialOf(id, properties.KeySpec, options.files);
        // The first use of the key reports a failure. Until then it must not end the process.
        material.catch(() => undefined);
        ring.add({
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
          if (!ring.has(id)) return refuse(request, `there is no key ${TargetKeyId}`);
          ring.alias(AliasName, id);
          return { ref: AliasName };
        },
      ),
    },
    stop: async () => {
      await Promise.allSettled(ring.all().map((key) => key.material));
    },
    endpoint: kmsEndpoint(ring),
  };
};

/** KMS's default key policy, which delegates to the policies of the account's identities. */
const delegateToAccount: readonly Statement[] = [
  { Effect: "Allow", Principal: { AWS: [arn("iam", "root")] }, Action: ["kms:*"], Resource: ["*"] },
];

/** A UUID that is the same at every start, so that stored material belongs to the same key. */
const stableId = (name: string): string =>
  createHash("sha256")
    .update(name)
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
