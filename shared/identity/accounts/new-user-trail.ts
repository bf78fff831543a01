import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { tellOwners } from "#shared/trail/owners/owners";
import { writeTrail } from "#shared/trail/trail";
import type { RecordDocument } from "./tenant-records.ts";

/** What of a new user record decides who they are and what they may do. */
const TOLD = ["name", "email", "is_active", "is_account_owner", "is_account_admin", "permissions"] as const;

/** An operator's function has added them: nobody of the organization. */
const originOf = (request_id: string | undefined) => ({ by: null, ...(request_id && { request_id }) });

/** Writes down, in the transaction that adds them, that an operator has added somebody to the organization. */
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

/** Tells the owners that there is another one. It never raises. */
export const tellOfNewOwner = (
  database: TenantDatabase,
  { name, email }: RecordDocument,
  requestId: string | undefined,
): Promise<void> => {
  const notice = { kind: "ownership_changed", gained: [`${name} (${email})`], lost: [] } as const;
  return tellOwners(database, notice, { origin: originOf(requestId) });
};
