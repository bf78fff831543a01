import type { Filter } from "mongodb";
import type { ReceivedWebhook } from "#contracts/email-webhooks";
import { Fault } from "#shared/foundation/faults";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { type StoredWebhook, webhooksOf } from "./stored-webhook.ts";

export interface WebhookPage {
  readonly since?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const cursorOf = ({ received_at, _id }: StoredWebhook): string =>
  Buffer.from(`${received_at.getTime()}/${_id}`).toString("base64url");

const placeOf = (cursor: string): { readonly at: Date; readonly id: string } => {
  const found = /^(\d{1,15})\/([0-9a-f]{64})$/.exec(Buffer.from(cursor, "base64url").toString());
  if (found?.[1] !== undefined && found[2] !== undefined) return { at: new Date(Number(found[1])), id: found[2] };
  const msg = "Expected `next_cursor` of an earlier page.";
  throw new Fault("validation_failed", { issues: [{ loc: ["query", "cursor"], msg, type: "cursor" }] });
};

const shown = (one: StoredWebhook): ReceivedWebhook => ({
  id: one._id,
  received_at: one.received_at.toISOString(),
  kind: one.kind,
  signature: one.signature,
  content_type: one.content_type,
  size: one.size,
  status: one.status,
  error: one.error ?? null,
  result: one.result ?? null,
});

/** What email vendors have sent: newest first, or with `since` oldest first. Raises `validation_failed`. */
export const listWebhooks = async (
  database: TenantDatabase,
  { since, limit, cursor }: WebhookPage,
): Promise<{ webhooks: ReceivedWebhook[]; next_cursor?: string }> => {
  const isForward = since !== undefined;
  const order = isForward ? 1 : -1;
  const place = cursor === undefined ? undefined : placeOf(cursor);
  const beyond = isForward ? "$gt" : "$lt";
  const conditions: Filter<StoredWebhook>[] = [
    ...(since === undefined ? [] : [{ received_at: { $gte: new Date(since) } }]),
    ...(place === undefined
      ? []
      : [{ $or: [{ received_at: { [beyond]: place.at } }, { received_at: place.at, _id: { [beyond]: place.id } }] }]),
  ];
  const found = await webhooksOf(database)
    .find(conditions.length === 0 ? {} : { $and: conditions }, { sort: { received_at: order, _id: order }, limit })
    .toArray();
  const last = found.at(-1);
  const goesOn = found.length === limit || isForward;
  const next = last === undefined ? cursor : cursorOf(last);
  return { webhooks: found.map(shown), ...(goesOn && next !== undefined && { next_cursor: next }) };
};
