import { isObject } from "#shared/foundation/is-object";

/**
 * A stored field of every record: the keys of those who see it besides administrators, which are its owner and those
 * with whom it is shared. One indexed field answers "which of these records may this user see". No schema has it, and
 * no caller may name it.
 */
export const READERS_FIELD = "_readers";

/** The keys in `READERS_FIELD`. Owner and shares differ, because some objects' records cannot be shared. */
export const readerKey = {
  owner: (user: string): string => `owner:${user}`,
  user: (user: string): string => `user:${user}`,
  role: (role: string): string => `role:${role}`,
} as const;

const idOf = (reference: unknown): string[] =>
  isObject(reference) && typeof reference.id === "string" ? [reference.id] : [];

/** The value of `READERS_FIELD` for a record. */
export const readersOf = ({ owner, shared_with }: { readonly owner?: unknown; readonly shared_with?: unknown }) => [
  ...new Set([
    ...idOf(owner).map(readerKey.owner),
    ...(Array.isArray(shared_with) ? shared_with : []).flatMap((share: unknown) =>
      isObject(share) ? [...idOf(share.user).map(readerKey.user), ...idOf(share.role).map(readerKey.role)] : [],
    ),
  ]),
];
