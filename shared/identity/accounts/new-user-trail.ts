import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { notifyOwners } from "#shared/trail/owners/owners";
import { writeTrail } from "#shared/trail/trail";
import type { RecordDocument } from "./tenant-records.ts";

/** The fields of a new user record that the audit entry shows. */
const TOLD = ["name", "email", "is_active", "is_account_owner", "is_account_admin", "permissions"] as const;

/** The user was added by an operator's function, not by a user of the organization. */
const originOf = (request_id: string | undefined) => ({ by: null, ...(request_id && { request_id }) });

/** Writes the audit entry of a user whom an operator adds, in the transaction that adds them. */
export const noteNewUser = (
  database: TenantDatabase,
  user: RecordDocument,
  requestId: string | undefined,
  session: ClientSession,
): Promise<void> => {
  const changes = Object.fromEntries(TOLD.map((name) => [name, { from: null, to: user[name] ?? null }]));
  const details = { operation: "create-user" };
  const event = {
    action: "created",
    object: "user",
    record_id: user._id,
    called: user.name,
    changes,
    details,
  } as const;
  return writeTrail(database, originOf(requestId), [event], session);
};

/** Mails the owners that there is a new owner. It never raises. */
export const tellOfNewOwner = (
  database: TenantDatabase,
  { name, email }: RecordDocument,
  requestId: string | undefined,
): Promise<void> => {
  const notice = { kind: "ownership_changed", gained: [`${name} (${email})`], lost: [] } as const;
  return notifyOwners(database, notice, { origin: originOf(requestId) });
};
