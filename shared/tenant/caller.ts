import type { Document } from "mongodb";
import type { Caller } from "./database.ts";
import type { UserRights } from "./documents.ts";

/** The fields of a user record that decide what the user may do, as a projection. */
export const RIGHTS_FIELDS: Document = {
  email: 1,
  name: 1,
  is_active: 1,
  active_since: 1,
  is_account_owner: 1,
  is_account_admin: 1,
  permissions: 1,
  role: 1,
  time_zone: 1,
};

/** Reads one user record beside another document. */
export const withUser = (id: string): Document => ({
  $lookup: { from: "user", pipeline: [{ $match: { _id: id } }, { $project: RIGHTS_FIELDS }], as: "responsible" },
});

const idOf = (reference: { id: string } | string): string => (typeof reference === "string" ? reference : reference.id);

/** What a caller has from the session or the execution in which they act. */
type Circumstances = Pick<
  Caller,
  "session_id" | "organization_id" | "scope" | "client_id" | "responsible" | "is_superuser" | "second_factor"
>;

/** The caller of a user record. `rights` are those in the session or execution. */
export const callerWith = (rights: UserRights, circumstances: Circumstances): Caller => {
  const owner = rights.is_account_owner === true;
  return {
    ...circumstances,
    id: rights._id,
    email: rights.email,
    name: rights.name,
    is_admin: owner || rights.is_account_admin === true || circumstances.is_superuser,
    is_account_owner: owner,
    permissions: (rights.permissions ?? []).map(idOf),
    role: rights.role ? idOf(rights.role) : null,
    time_zone: rights.time_zone ?? null,
  };
};

/** Whether an app may do what needs a scope. A person needs none. */
export const holdsScope = ({ client_id, scope }: Pick<Caller, "client_id" | "scope">, needed: string): boolean =>
  client_id === null || scope.split(" ").some((name) => name === "all" || name === needed);
