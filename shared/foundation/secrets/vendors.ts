import * as z from "zod";
import { readSecret } from "../aws/secrets.ts";
import { nowMillis } from "../clock.ts";
import { env } from "../env.ts";

/** Where the vendor's API is, if not at its usual address. */
const base_url = z.url().optional();

/** `provider` says which adapter reads the rest, which it checks itself. */
const account = z.looseObject({ provider: z.string().min(1), base_url });

/** The value of the secret `tenantry/<stage>/vendors` (docs/deploy.md). */
const platformVendorsSchema = z.strictObject({
  email: account.optional(),
  sms: account.optional(),
  push: z.strictObject({ webpush: z.looseObject({}).optional(), fcm: z.looseObject({}).optional() }).optional(),
  payment: z
    .strictObject({
      vendor: z.literal("stripe"),
      api_key: z.string().min(1),
      webhook_secret: z.string().min(1),
      base_url,
    })
    .optional(),
  /** The account of the SMS vendor whose subaccounts are those of organizations. */
  usage: z.looseObject({ base_url }).optional(),
});

export type PlatformVendors = z.output<typeof platformVendorsSchema>;

/** A changed secret counts after this time at the latest. */
const KEPT_MS = 5 * 60_000;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text.
    throw new Error("The vendors' secret is not JSON.");
  }
};

const read = async (): Promise<PlatformVendors> => {
  const parsed = platformVendorsSchema.safeParse(parseJson(await readSecret(env.vendorsSecretArn())));
  if (parsed.success) return parsed.data;
  // Never the values.
  const wrong = parsed.error.issues.map(({ path }) => path.join(".") || "its keys");
  throw new Error(`The vendors' secret is not right: ${[...new Set(wrong)].join(", ")}.`);
};

let known: { readonly value: Promise<PlatformVendors>; readonly until: number } | undefined;

/**
 * The platform's own accounts at vendors. Only functions with the need `usesVendors` can read them. Callers keep them
 * in memory only and never log them.
 */
export const platformVendors = (): Promise<PlatformVendors> => {
  if (known === undefined || known.until <= nowMillis()) {
    const fresh = { value: read(), until: nowMillis() + KEPT_MS };
    fresh.value.catch(() => {
      if (known === fresh) known = undefined;
    });
    known = fresh;
  }
  return known.value;
};
