import { elapsedMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type VerifiedBody, verifiedBody } from "#shared/foundation/webhooks/webhook-signatures";
import { countPublicAttempt, delayRefusal, type TenantDatabase } from "#shared/tenant/tenant";
import { hashOf, openForWebhooks, storeWebhook } from "./store-webhook.ts";
import { webhookKeys } from "./webhook-keys.ts";

/** A vendor sends a thousand events in one body. */
const limits = { perTarget: 1_200, perAddress: 6_000, refusal: { code: "too_many_webhooks" } } as const;

export interface IncomingWebhook {
  readonly organization_id: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  readonly contentType: string;
  /** The IP address of the sender. */
  readonly address: string;
}

/** The vendor's id, or what is signed: a body that is sent twice is one webhook. */
const idOf = ({ kind, id, timestamp }: VerifiedBody, body: Buffer): string =>
  id === undefined ? hashOf(kind, timestamp, body) : hashOf(kind, id);

interface Opened {
  readonly database: TenantDatabase;
  readonly verified: VerifiedBody;
}

/** The organization, and what is verified about the body. An unknown organization takes the work of a known one. */
const verify = async ({ organization_id, headers, body }: IncomingWebhook): Promise<Opened | Fault> => {
  const database = await openForWebhooks(organization_id);
  const keys = database === null ? { sendgrid: [], standard: [] } : await webhookKeys(database);
  const verified = verifiedBody({ headers, body }, keys);
  if (database === null) return new Fault("organization_not_found");
  return verified === null ? new Fault("invalid_signature") : { database, verified };
};

/**
 * Stores what an email vendor has sent, and queues it. A repetition changes nothing. Raises `organization_not_found`
 * and `invalid_signature` after the same time, `too_many_webhooks`, `sandbox_refreshing` and `dependency_unavailable`.
 */
export const receiveWebhook = async (incoming: IncomingWebhook): Promise<void> => {
  const start = elapsedMillis();
  const { organization_id, body, contentType, address } = incoming;
  await countPublicAttempt(address, ["webhook", organization_id], limits);
  const opened = await verify(incoming);
  if (opened instanceof Fault) {
    await delayRefusal(start);
    throw opened;
  }
  const { database, verified } = opened;
  const _id = idOf(verified, body);
  await storeWebhook(database, { _id, signature: verified.kind, contentType, body });
};
