import type { Document, Filter } from "mongodb";
import { hasOwners, type OwnedObject } from "#shared/data/schema/schema";
import { isObject } from "#shared/foundation/is-object";
import { READERS_FIELD, readerKey, readersOf } from "#shared/tenant/tenant";
import type { RoleView } from "./role-view.ts";

/**
 * What a caller may do with one record, beside what they may do with records of its object: `read` < `edit` <
 * `delete` < `own`. To change the owner and the shares takes `own`.
 */
export type RecordRight = "read" | "edit" | "delete" | "own";

/** Which records a caller sees, of the objects that they may read at all. */
export interface RowAccess {
  /** A filter for the records that the caller may read; null for all. */
  filter(object: OwnedObject): Filter<Document> | null;
  /** The caller's right to a stored record; null if they may not see it. */
  right(object: OwnedObject, record: Document): RecordRight | null;
}

export const everyRow: RowAccess = { filter: () => null, right: () => "own" };

const rights: readonly RecordRight[] = ["read", "edit", "delete", "own"];

/** Whether the right includes the other one. */
export const includesRight = (right: RecordRight, other: RecordRight): boolean =>
  rights.indexOf(right) >= rights.indexOf(other);

const isRight = (value: unknown): value is RecordRight => rights.some((right) => right === value);

const refersTo = (reference: unknown, id: string): boolean => isObject(reference) && reference.id === id;

/** The highest right that a record's shares give to the user or their role. */
const sharedRight = (record: Document, { user, role }: RoleView): RecordRight | null => {
  const shares: unknown[] = Array.isArray(record.shared_with) ? record.shared_with : [];
  const given = shares.flatMap((share) => {
    if (!isObject(share) || !isRight(share.access)) return [];
    return refersTo(share.user, user) || refersTo(share.role, role) ? [share.access] : [];
  });
  return given.reduce<RecordRight | null>(
    (highest, right) => (highest === null || includesRight(right, highest) ? right : highest),
    null,
  );
};

const ownerOf = ({ owner }: Document): string | undefined =>
  isObject(owner) && typeof owner.id === "string" ? owner.id : undefined;

/**
 * The records of the owners that the role's `view_access` shows, and those that are shared with the user or the role.
 * `hasReaders`: all records of the organization have `READERS_FIELD`; else the filter asks for owner and shares
 * themselves, which gives the same records more slowly.
 */
export const rowsOf = (view: RoleView, hasReaders: boolean): RowAccess => {
  if (view.owners === "all") return everyRow;
  const { user, role, owners } = view;
  const ids = [...owners];
  const keys = ids.map(readerKey.owner);
  const own = hasReaders ? { [READERS_FIELD]: { $in: keys } } : { "owner.id": { $in: ids } };
  const ownAndShared = hasReaders
    ? { [READERS_FIELD]: { $in: [...keys, readerKey.user(user), readerKey.role(role)] } }
    : { $or: [own, { "shared_with.user.id": user }, { "shared_with.role.id": role }] };
  return {
    filter: (object) => {
      if (!hasOwners(object)) return null;
      return object.exclusive_ownership ? own : ownAndShared;
    },
    right: (object, record) => {
      if (!hasOwners(object)) return "own";
      const owner = ownerOf(record);
      if (owner !== undefined && owners.has(owner)) return "own";
      return object.exclusive_ownership ? null : sharedRight(record, view);
    },
  };
};

/** Whether two values refer to the same record. */
export const refersEqually = (one: unknown, other: unknown): boolean =>
  isObject(one) && isObject(other) && one.id === other.id;

const shareKeys = (shares: unknown): string[] =>
  (Array.isArray(shares) ? shares : []).flatMap((share: unknown) =>
    isObject(share) ? readersOf({ shared_with: [share] }).map((key) => `${key} ${share.access}`) : [],
  );

/** Whether two values of `shared_with` give the same rights. */
export const sharesEqually = (one: unknown, other: unknown): boolean => {
  const [first, second] = [new Set(shareKeys(one)), new Set(shareKeys(other))];
  return first.size === second.size && first.isSubsetOf(second);
};
