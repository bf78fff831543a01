import type { ClientSession, Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { newRecord, type Tenant } from "#shared/tenant/tenant";

/** Longest name of a record. */
export const LONGEST_NAME = 200;

/** A reference to a user, as records have it. */
export interface UserReference {
  readonly id: string;
  readonly schema: "user";
  readonly name: string;
}

export const callerReference = ({ caller }: Pick<Tenant, "caller">): UserReference => ({
  id: caller.id,
  schema: "user",
  name: caller.name,
});

interface Captured {
  readonly fields: Document;
  /** The caller unless given. */
  readonly owner?: UserReference;
}

/**
 * Records messages that are kept and not sent, in a transaction of their own or in the given one, and gives their ids.
 * No vendor is configured yet.
 */
export const captureMessages = async (
  tenant: Tenant,
  object: "email_message" | "notification" | "sms_message",
  messages: readonly Captured[],
  session?: ClientSession,
): Promise<string[]> => {
  if (messages.length === 0) return [];
  const at = now();
  const by = callerReference(tenant);
  const event = { type: "captured", at, detail: "No vendor is configured, so that messages are kept and not sent." };
  const documents = messages.map(({ fields, owner = by }) =>
    newRecord(uuidv7(), { ...fields, status: "captured", events: [event] }, { by, at, owner }),
  );
  const records = tenant.collection<Document & { _id: string }>(object);
  const insert = async (within: ClientSession): Promise<void> => {
    await records.insertMany(documents, { session: within });
  };
  await (session === undefined ? tenant.transaction(insert) : insert(session));
  return documents.map(({ _id }) => _id);
};
