import type { Document } from "mongodb";
import { isAdministrator, type RecordReference, type TenantDatabase, type UserRights } from "#shared/tenant/tenant";

interface StoredCredential extends Document {
  readonly _id: string;
  readonly modified_by?: { readonly id?: string } | null;
}

/**
 * Who answers for what vendors bring: the administrator who changed the credential of the email vendor last, else the
 * first active owner. What it sets off runs in their name. Undefined if there is neither.
 */
export const responsibleFor = async ({ collection }: TenantDatabase): Promise<RecordReference | undefined> => {
  const users = collection<UserRights>("user");
  const projection = { name: 1, is_active: 1, is_account_owner: 1, is_account_admin: 1 };
  const credential = await collection<StoredCredential>("auth_credential").findOne(
    { kind: "emailvendor", active: { $ne: false } },
    { projection: { modified_by: 1 } },
  );
  const changedBy = credential?.modified_by?.id;
  const administrator = changedBy === undefined ? null : await users.findOne({ _id: changedBy }, { projection });
  const user =
    administrator !== null && isAdministrator(administrator)
      ? administrator
      : await users.findOne({ is_active: true, is_account_owner: true }, { projection, sort: { _id: 1 } });
  return user === null ? undefined : { id: user._id, schema: "user", name: user.name };
};
