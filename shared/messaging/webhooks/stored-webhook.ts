import type { Document } from "mongodb";
import { WEBHOOK_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";

export type WebhookKind = "events" | "mail";

/** What an email vendor has sent. Its body is in the bucket, under `key`. */
export interface StoredWebhook extends Document {
  /** A hash of the vendor's id for it, or of time and body: the same for a repetition. */
  readonly _id: string;
  readonly received_at: Date;
  readonly kind: WebhookKind;
  readonly signature: "sendgrid" | "standard";
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

export const webhooksOf = ({ collection }: Pick<TenantDatabase, "collection">) =>
  collection<StoredWebhook>(WEBHOOK_COLLECTION);
