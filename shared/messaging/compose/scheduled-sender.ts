import type { Actor } from "#contracts/actor";
import { describeAttachment } from "#shared/documents/documents";
import { isObject } from "#shared/foundation/is-object";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { StoredMessage } from "../delivery/record.ts";
import { lostActor } from "../lost-actor.ts";
import { requireReadScope } from "./attachments.ts";

/** Messages from before the actor was stored were sent by a person, as far as anybody knows. */
const actorOf = ({ _actor, created_by }: StoredMessage): Actor | undefined => {
  if (_actor !== undefined) return _actor;
  if (created_by?.schema !== "user") return undefined;
  return { user_id: created_by.id, client_id: null, scope: "all", responsible: null };
};

/**
 * Why a message with a `send_at` is not sent although its time has come; undefined if it is sent. Whoever scheduled it
 * may read the files that it names at this moment. A person who sends a message again answers for it: that is not
 * checked.
 */
export const lostSender = async (database: TenantDatabase, message: StoredMessage): Promise<string | undefined> => {
  const { _id, send_at, attachments, _delivery } = message;
  const actor = actorOf(message);
  if (send_at === undefined || actor === undefined || (_delivery?.revision ?? 1) > 1) return undefined;
  const documents = (Array.isArray(attachments) ? attachments : []).flatMap((one): string[] =>
    isObject(one) && typeof one.document === "string" ? [one.document] : [],
  );
  return lostActor(database, actor, _id, async (tenant) => {
    if (documents.length > 0) requireReadScope(tenant);
    for (const id of documents) await describeAttachment(tenant, id);
  });
};
