import type { Filter } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { UserReference } from "../capture.ts";

/** What notifications need of a user. */
export interface Recipient {
  readonly _id: string;
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly role?: { readonly id?: string } | null;
  readonly time_zone?: string | null;
  readonly notification_preferences?: unknown;
}

type StoredUser = Recipient & { readonly is_active: boolean };

const projection = { name: 1, email: 1, phone: 1, role: 1, time_zone: 1, notification_preferences: 1 };

/** Active users, by id. */
export const activeUsers = (
  { collection }: Pick<TenantDatabase, "collection">,
  which: Filter<StoredUser>,
  limit: number,
): Promise<Recipient[]> =>
  collection<StoredUser>("user")
    .find({ $and: [{ is_active: true }, which] }, { projection, sort: { _id: 1 }, limit })
    .toArray();

/** Active users who are named themselves or by their role. */
export const namedBy = (ids: readonly string[], roles: readonly string[]): Filter<StoredUser> => ({
  $or: [{ _id: { $in: [...ids] } }, { "role.id": { $in: [...roles] } }],
});

export const referenceTo = ({ _id, name }: Recipient): UserReference => ({ id: _id, schema: "user", name: name ?? "" });
