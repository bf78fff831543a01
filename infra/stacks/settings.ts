import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as z from "zod";
import { allowedOrigin } from "./allowed-origin.ts";

const retentionDays = Object.values(RetentionDays).filter((days) => typeof days === "number");

const arn = (service: string, resource: string) =>
  z.string().regex(new RegExp(`^arn:aws[\\w-]*:${service}:[a-z0-9-]+:\\d{12}:${resource}.+$`), {
    error: `expected the full ARN of a ${service} ${resource.replace(/[:/]$/, "")}`,
  });

/** Values from `-c` on the command line are text. */
const flag = z.union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"] })]);
const count = z.coerce.number().int().positive();

const json = z.string().transform((text, { addIssue }): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    addIssue({ code: "custom", message: "expected JSON" });
    return z.NEVER;
  }
});

/** What the platform's account sends of one kind for an organization. */
const platformLimits = z.strictObject({
  /** Messages of an organization and day (UTC). */
  daily: count,
  /** Plans whose organizations may use it; all if absent. */
  plans: z.array(z.string()).optional(),
});

const platformMessages = z.strictObject({
  email: platformLimits.optional(),
  /** With the countries of the receivers: ISO 3166-1 alpha-2. */
  sms: platformLimits.extend({ countries: z.array(z.string().regex(/^[A-Z]{2}$/)).min(1) }).optional(),
  push: platformLimits.optional(),
});

/** The stage of the test suite. It exists in memory only and is never deployed (infra/app.ts). */
export const TEST_STAGE = "selftest";

const contextSchema = z
  .strictObject({
    stage: z
      .string()
      .regex(/^[a-z][a-z0-9]{0,11}$/, "expected 1 to 12 lowercase letters and digits, the first one a letter")
      .default("dev"),
    mongodbSecretArn: arn("secretsmanager", "secret:").optional(),
    mongodbProvisioningSecretArn: arn("secretsmanager", "secret:").optional(),
    domain: z
      .string()
      .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "expected a bare host name such as api.example.com")
      .optional(),
    certificateArn: arn("acm", "certificate/").optional(),
    hostedZoneId: z
      .string()
      .regex(/^Z[A-Z0-9]+$/, "expected the id of a Route 53 hosted zone")
      .optional(),
    logRetentionDays: count
      .refine((days) => retentionDays.includes(days), {
        error: `CloudWatch keeps logs for one of these numbers of days: ${retentionDays.join(", ")}`,
      })
      .default(30),
    registration: z.enum(["open", "closed"]).default("open"),
    alarmEmail: z.email().optional(),
    /** The sender of mails. Its domain must be a verified identity of SES. */
    mailSender: z.email().optional(),
    activeSigningKey: z.enum(["a", "b"]).default("a"),
    /** Generations of the signing keys. Raising the generation of the inactive key replaces it (docs/runbook.md). */
    signingKeyA: count.default(1),
    signingKeyB: count.default(1),
    throttlingRate: count.default(1000),
    throttlingBurst: count.default(2000),
    /** Days from a missing payment until nothing can be changed in the organization. */
    paymentGraceDays: z.coerce.number().int().min(0).max(365).default(14),
    /** The maximum of scheduled items that run at the same time; 0 for the account's limit. */
    scheduledRunConcurrency: z.coerce.number().int().nonnegative().default(100),
    /** Reserved concurrency of the function that answers running code; 0 reserves nothing. */
    contextConcurrency: z.coerce.number().int().nonnegative().default(0),
    /** Origins of web pages that may call the API from a browser; comma-separated on the command line. */
    allowedOrigins: z
      .union([z.array(z.string()), z.string().transform((list) => list.split(",").map((origin) => origin.trim()))])
      .pipe(z.array(allowedOrigin).min(1))
      .optional(),
    /** Whether integrations of tenants may use http. Their credentials are then sent in clear. */
    outboundHttp: flag.default(false),
    /** Whether integrations of tenants may use addresses of this host. Never deployed. */
    outboundLoopback: flag.default(false),
    /** DNS servers to ask instead of the host's, `address:port`; comma-separated. Never deployed. */
    dnsServers: z
      .string()
      .regex(/^[\d.:,[\]a-f]+$/)
      .optional(),
    /** Where developers may run code on their own machine that acts in an organization. */
    localExecutions: z.enum(["sandboxes", "everywhere"]).default("sandboxes"),
    /** What becomes of messages of organizations without a vendor: kept and not sent, or refused. */
    withoutVendor: z.enum(["capture", "refuse"]).default("refuse"),
    /** Which messages of organizations the platform's own accounts send. JSON on the command line. */
    platformMessages: z.union([platformMessages, json.pipe(platformMessages)]).default({}),
    logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
    /** `weak` spares the test suite the cost of argon2. */
    passwordHashes: z.enum(["strong", "weak"]).default("strong"),
    /** Whether keys and secrets are retained when their stack is deleted. `false` is for throw-away stages only. */
    retain: flag.default(true),
  })
  .superRefine(({ domain, certificateArn, hostedZoneId, retain, stage, passwordHashes }, context) => {
    const require = (ok: boolean, key: string, message: string) => {
      if (!ok) context.addIssue({ code: "custom", path: [key], message });
    };
    require(!domain || !!certificateArn, "certificateArn", "a domain needs the certificate that covers it");
    require(!certificateArn || !!domain, "domain", "a certificate is of use only with its domain");
    require(!hostedZoneId || !!domain, "domain", "a hosted zone is of use only with a domain in it");
    require(retain || stage !== "prod", "retain", "the stateful resources of prod are always kept");
    const isTestStage = stage === TEST_STAGE;
    require(passwordHashes === "strong" ||
      isTestStage, "passwordHashes", `only the stage ${TEST_STAGE} may weaken them`);
  });

/** The settings of one deployment; see docs/deploy.md. */
export type Settings = z.output<typeof contextSchema> & { readonly version: string; readonly mailSender: string };

/** Without a domain SES has no sender. On a developer's machine no mail is sent. */
const senderOf = ({ mailSender, domain }: z.output<typeof contextSchema>): string =>
  mailSender ?? `no-reply@${domain ?? "tenantry.invalid"}`;

/** Context keys of the CDK and its plug-ins contain one of these characters; the platform's keys do not. */
const foreign = /[:@/-]/;

/** The settings in the app's context. @throws Error that lists all keys that are unknown, missing or malformed */
export const parseSettings = (context: Readonly<Record<string, unknown>>, version: string): Settings => {
  const ours = Object.entries(context).filter(([key, value]) => !foreign.test(key) && value !== undefined);
  const parsed = contextSchema.safeParse(Object.fromEntries(ours));
  if (parsed.success) return { ...parsed.data, mailSender: senderOf(parsed.data), version };
  const problems = parsed.error.issues.map((issue) => `  ${[...issue.path].join(".") || "context"}: ${issue.message}`);
  throw new Error(`The context of the app (cdk.json or -c key=value) is not right:\n${problems.join("\n")}`);
};
