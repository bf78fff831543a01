import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { repeatedUpsert } from "#shared/foundation/duplicate-key";
import { INBOUND_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";
import type { ParsedMail } from "./parsed-mail.ts";

/** `_id` is a hash. */
interface InboundMark {
  readonly _id: string;
  readonly count?: number;
  /** The record of a mail. */
  readonly record?: string;
  readonly expires_at: Date;
}

const HOUR_MS = 60 * 60_000;
/** A person writes less. Two programs that answer each other end here. */
const MOST_PER_HOUR = 60;
/** As long as the vendor's body is kept. */
const KEPT_MS = 30 * 24 * HOUR_MS;

const hashOf = (...parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

const inboundMarks = ({ collection }: Pick<TenantDatabase, "collection">) =>
  collection<InboundMark>(INBOUND_COLLECTION);

/**
 * The same for every delivery of one mail, also if the vendor sends it for two addresses of ours. A mail with the id of
 * another one and other content is another mail.
 */
export const fingerprintOf = ({ message_id, from, subject, date, html, text, attachments }: ParsedMail): string => {
  const files = attachments.map(({ filename, content }) => [
    filename,
    createHash("sha256").update(content).digest("base64url"),
  ]);
  return `mail ${hashOf(message_id ?? null, from?.email ?? null, subject, date ?? null, html ?? null, text ?? null, files)}`;
};

/** The id of a mail's record, the same for every delivery of the mail. */
export const recordIdOf = async (
  database: Pick<TenantDatabase, "collection">,
  fingerprint: string,
): Promise<string> => {
  const fresh = { record: uuidv7(), expires_at: new Date(nowMillis() + KEPT_MS) };
  const mark = await repeatedUpsert(() =>
    inboundMarks(database).findOneAndUpdate(
      { _id: fingerprint },
      { $setOnInsert: fresh },
      { upsert: true, returnDocument: "after" },
    ),
  );
  return mark?.record ?? fresh.record;
};

/** Counts a mail of a sender. Whether the sender has sent more in this hour than sets something off. */
export const isFlood = async (database: Pick<TenantDatabase, "collection">, sender: string): Promise<boolean> => {
  const hour = Math.floor(nowMillis() / HOUR_MS);
  const expires_at = new Date((hour + 2) * HOUR_MS);
  const counted = await repeatedUpsert(() =>
    inboundMarks(database).findOneAndUpdate(
      { _id: `sender ${hashOf(sender, hour)}` },
      { $inc: { count: 1 }, $setOnInsert: { expires_at } },
      { upsert: true, returnDocument: "after" },
    ),
  );
  return (counted?.count ?? 1) > MOST_PER_HOUR;
};
