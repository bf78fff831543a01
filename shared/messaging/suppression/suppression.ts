import { createHash } from "node:crypto";
import type { ClientSession, Document } from "mongodb";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { newRecord, PLATFORM, type TenantDatabase } from "#shared/tenant/tenant";

type Scope = "all" | "list";
type Reason = "bounce" | "complaint" | "unsubscribe";

export type EmailCategory = "transactional" | "list";

interface StoredSuppression extends Document {
  readonly _id: string;
  readonly email: string;
  readonly scope: Scope;
  readonly reason: Reason;
}

const LONGEST_DETAIL = 500;

/** Letter case does not matter to any mailbox provider. */
const normal = (email: string): string => email.trim().toLowerCase();

/** Made of the address, so that it is suppressed once and found by its id. */
const idOf = (scope: Scope, email: string): string =>
  `sup_${createHash("sha256")
    .update(JSON.stringify([scope, normal(email)]))
    .digest("base64url")}`;

const scopesOf = (category: EmailCategory): readonly Scope[] => (category === "list" ? ["all", "list"] : ["all"]);

const reasons: Readonly<Record<Reason, string>> = {
  bounce: "Mail to this address has bounced.",
  complaint: "The recipient has complained about mail.",
  unsubscribe: "The recipient has unsubscribed.",
};

/**
 * Why addresses get no mail of a category: address (in lower case) → sentence. Asked at acceptance and again before the
 * vendor is called.
 */
export const suppressionsOf = async (
  { collection }: Pick<TenantDatabase, "collection">,
  emails: readonly string[],
  category: EmailCategory,
): Promise<ReadonlyMap<string, string>> => {
  const ids = emails.flatMap((email) => scopesOf(category).map((scope) => idOf(scope, email)));
  if (ids.length === 0) return new Map();
  const found = await collection<StoredSuppression>("email_suppression")
    .find({ _id: { $in: ids } }, { projection: { email: 1, reason: 1 } })
    .toArray();
  return new Map(found.map(({ email, reason }) => [email, reasons[reason]]));
};

export interface NewSuppression {
  readonly email: string;
  /** `list`: only mail of the category `list`. */
  readonly scope: Scope;
  readonly reason: Reason;
  /** What the vendor says. */
  readonly detail?: string | undefined;
  /** The message that it is about. */
  readonly message?: { readonly id: string; readonly name?: string | undefined } | undefined;
}

/** Lets an address have no more mail. False if it had none before. */
export const addSuppression = async (
  { collection }: Pick<TenantDatabase, "collection">,
  { email, scope, reason, detail, message }: NewSuppression,
  session?: ClientSession,
): Promise<boolean> => {
  const address = normal(email);
  const fields = {
    name: address,
    email: address,
    scope,
    reason,
    key: `${scope} ${address}`,
    ...(detail && { detail: detail.slice(0, LONGEST_DETAIL) }),
    ...(message && { message: { id: message.id, schema: "email_message", name: message.name ?? "" } }),
  };
  const { _id, ...record } = newRecord(idOf(scope, address), fields, { by: PLATFORM, at: now() });
  const suppressions = collection<Document & { _id: string }>("email_suppression");
  try {
    const options = { upsert: true, ...(session && { session }) };
    const { upsertedCount } = await suppressions.updateOne({ _id }, { $setOnInsert: record }, options);
    return upsertedCount > 0;
  } catch (error) {
    // The same address at the same time. In a transaction the whole is repeated.
    if (session === undefined && isDuplicateKey(error)) return false;
    throw error;
  }
};
