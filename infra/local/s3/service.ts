import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import { evaluate, policyDocument, type Statement } from "../iam/policy.ts";
import { principalArn } from "../iam/principal.ts";
import { accessDenied } from "../iam/service.ts";
import type { SdkCall } from "../sdk/call.ts";
import { declare, refuse, type Service, tags } from "../service.ts";
import { openObjects } from "./objects.ts";
import { type Bucket, s3Endpoint } from "./operations.ts";

const DAY_MS = 86_400_000;

const rule = z.strictObject({
  Id: z.string().optional(),
  Status: z.literal("Enabled"),
  Prefix: z.string().default(""),
  ExpirationInDays: z.number().int().min(1).optional(),
  /** There are no uploads in parts here. */
  AbortIncompleteMultipartUpload: z.strictObject({ DaysAfterInitiation: z.number() }).optional(),
});

/** README.md says what is supported. A bucket that anybody could reach is refused. */
const bucket = z.strictObject({
  BucketName: z.string().regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, "is not the name of a bucket"),
  /** Objects are not encrypted here. */
  BucketEncryption: z.unknown().optional(),
  PublicAccessBlockConfiguration: z.strictObject({
    BlockPublicAcls: z.literal(true),
    BlockPublicPolicy: z.literal(true),
    IgnorePublicAcls: z.literal(true),
    RestrictPublicBuckets: z.literal(true),
  }),
  OwnershipControls: z
    .strictObject({ Rules: z.array(z.strictObject({ ObjectOwnership: z.literal("BucketOwnerEnforced") })) })
    .optional(),
  LifecycleConfiguration: z.strictObject({ Rules: z.array(rule) }).optional(),
  Tags: tags.optional(),
});

const bucketPolicy = z.strictObject({ Bucket: z.string(), PolicyDocument: policyDocument });

interface Expiry {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly days: number;
}

/** S3: buckets of the templates with their objects in files. */
export const s3 = ({ clock, directory }: { readonly clock: Clock; readonly directory: string }): Service => {
  const buckets = new Map<string, Bucket>();
  const policies = new Map<string, readonly Statement[]>();
  const expiries: Expiry[] = [];
  let cancel = (): void => undefined;

  const authorize = (call: SdkCall, { name, arn }: Bucket, action: string, key?: string, prefix?: string): void => {
    const resource = key === undefined ? arn : `${arn}/${key}`;
    const context = {
      // The loopback address takes the place of TLS.
      "aws:SecureTransport": "true",
      ...(prefix !== undefined && { "s3:prefix": prefix }),
    };
    call.authorize(action, resource, context);
    const known = { ...context, "aws:PrincipalArn": principalArn(call.caller) };
    const verdict = evaluate(policies.get(name) ?? [], { action, resource, context: known });
    if (verdict === "deny") throw accessDenied(call.caller, action, resource, true);
  };

  /** Once a day, as S3 does. */
  const expire = (): void => {
    for (const {
      bucket: { objects },
      prefix,
      days,
    } of expiries) {
      for (const { key, modified } of objects.list(prefix)) {
        if (modified + days * DAY_MS <= clock.now()) objects.remove(key);
      }
    }
    cancel = clock.after(DAY_MS, expire);
  };

  return {
    name: "s3",
    resources: {
      "AWS::S3::Bucket": declare(bucket, ({ BucketName: name, LifecycleConfiguration }, request) => {
        if (buckets.has(name)) return refuse(request, `the bucket ${name} exists twice`);
        const arn = `arn:aws:s3:::${name}`;
        const opened: Bucket = { name, arn, objects: openObjects(join(directory, "platform", "s3", name)) };
        buckets.set(name, opened);
        for (const { Prefix, ExpirationInDays } of LifecycleConfiguration?.Rules ?? []) {
          if (ExpirationInDays !== undefined) expiries.push({ bucket: opened, prefix: Prefix, days: ExpirationInDays });
        }
        return { ref: name, attributes: { Arn: arn } };
      }),
      "AWS::S3::BucketPolicy": declare(bucketPolicy, ({ Bucket: name, PolicyDocument }, request) => {
        if (!buckets.has(name)) return refuse(request, `there is no bucket ${name}`);
        const other = PolicyDocument.find(({ Effect, Principal }) => Effect !== "Deny" || Principal?.AWS?.[0] !== "*");
        if (other !== undefined)
          return refuse(request, "only statements that deny something to everybody are supported");
        policies.set(name, PolicyDocument);
        return { ref: request.logicalId };
      }),
    },
    endpoint: s3Endpoint({ find: (name) => buckets.get(name), authorize, now: () => clock.now() }),
    opened: expire,
    stop: async () => cancel(),
  };
};
