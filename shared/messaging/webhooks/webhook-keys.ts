import type { Document } from "mongodb";
import { openValue } from "#shared/data/records/records";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { isObject } from "#shared/foundation/is-object";
import { platformVendors } from "#shared/foundation/secrets/vendors";
import type { WebhookKeys } from "#shared/foundation/webhooks/webhook-signatures";
import type { TenantDatabase } from "#shared/tenant/tenant";

const OBJECT = "auth_credential";

interface StoredCredential extends Document {
  readonly _id: string;
  readonly value?: unknown;
  readonly modified_date: Date;
}

/** More than one is an error of the organization. Then the keys of all count, as in a change of the vendor. */
const MOST_CREDENTIALS = 5;

/** Organization, credential and its last change → its keys. They are opened once in an execution environment. */
const opened = boundedCache<WebhookKeys>({ mostBytes: 4 * 1024 * 1024, bytesOf: () => 1_000 });

const textsOf = (value: unknown, ...names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const text: unknown = isObject(value) ? value[name] : undefined;
    return typeof text === "string" && text !== "" ? [text] : [];
  });

const keysOf = (value: unknown): WebhookKeys => ({
  sendgrid: textsOf(value, "webhook_public_key", "inbound_public_key"),
  standard: textsOf(value, "webhook_secret"),
});

const keysOfCredential = async (
  organization: string,
  { _id, value, modified_date }: StoredCredential,
): Promise<WebhookKeys> => {
  const revision = `${organization}/${_id}/${modified_date.getTime()}`;
  const known = opened.get(revision);
  if (known !== undefined) return known;
  const keys = keysOf(await openValue(value, { organization, object: OBJECT, record: _id, field: "value" }));
  opened.set(revision, keys);
  return keys;
};

/**
 * The keys with which an organization's email vendor signs: those of its active credentials of the kind `emailvendor`,
 * else those of the platform's account.
 * Raises `dependency_unavailable`.
 */
export const webhookKeys = async ({ organization_id, collection }: TenantDatabase): Promise<WebhookKeys> => {
  const found = await collection<StoredCredential>(OBJECT)
    .find(
      { kind: "emailvendor", active: { $ne: false } },
      { projection: { value: 1, modified_date: 1 }, limit: MOST_CREDENTIALS },
    )
    .toArray();
  if (found.length === 0) return keysOf((await platformVendors()).email);
  const all = await Promise.all(found.map((credential) => keysOfCredential(organization_id, credential)));
  return { sendgrid: all.flatMap(({ sendgrid }) => sendgrid), standard: all.flatMap(({ standard }) => standard) };
};
