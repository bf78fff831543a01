import type { Document } from "mongodb";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { copyKeyOf, INBOUND_COLLECTION, type TenantDatabase, WEBHOOK_COLLECTION } from "#shared/tenant/tenant";

export type WebhookKind = "events" | "mail";

/** What an email vendor has sent. Its body is in the bucket, under `key`. */
export interface StoredWebhook extends Document {
  /** A hash of the vendor's id for it, or of time and body: the same for a repetition. */
  readonly _id: string;
  readonly received_at: Date;
  readonly kind: WebhookKind;
  /** `ses`: an event of the platform's account at SES. */
  readonly signature: "sendgrid" | "standard" | "ses";
  readonly content_type: string;
  readonly size: number;
  readonly key: string;
  readonly status: "queued" | "processed" | "failed";
  readonly error?: string;
  readonly result?: {
    readonly events?: number;
    readonly applied?: number;
    readonly unknown?: number;
    readonly ignored?: number;
    readonly email_message?: string;
  };
  readonly expires_at: Date;
}

/** As long as the bodies are kept. */
export const WEBHOOK_KEPT_MS = 30 * 24 * 60 * 60_000;

/** Copies of organizations whose indexes this environment has made. */
const indexed = boundedCache<object>({ mostBytes: 1024 * 1024, bytesOf: () => 50 });

/** By which MongoDB deletes what has expired, and lists are read. Made with the first webhook of an organization. */
export const ensureWebhookIndexes = async (tenant: TenantDatabase): Promise<void> => {
  const { collection } = tenant;
  const key = copyKeyOf(tenant);
  if (indexed.get(key) !== undefined) return;
  await Promise.all([
    collection(WEBHOOK_COLLECTION).createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    collection(WEBHOOK_COLLECTION).createIndex({ received_at: 1, _id: 1 }),
    collection(INBOUND_COLLECTION).createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    // Each received mail asks whether its sender is an address of the organization.
    collection("email_message").createIndex({ from_email: 1, direction: 1 }),
  ]);
  indexed.set(key, {});
};

export const webhooksOf = ({ collection }: Pick<TenantDatabase, "collection">) =>
  collection<StoredWebhook>(WEBHOOK_COLLECTION);
