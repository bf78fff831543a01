import type { Document } from "mongodb";
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

const isText = (path: string): Document => ({ $eq: [{ $type: path }, "string"] });

/** The keys of those with whom the record is shared. `holder` is the member of a share that names them. */
const sharesExpression = (holder: "user" | "role"): Document => ({
  $map: {
    input: {
      $filter: {
        input: { $cond: [{ $isArray: ["$shared_with"] }, "$shared_with", []] },
        as: "share",
        cond: isText(`$$share.${holder}.id`),
      },
    },
    as: "share",
    in: { $concat: [`${holder}:`, `$$share.${holder}.id`] },
  },
});

/** `readersOf` as an expression of MongoDB over a stored record. */
export const readersExpression: Document = {
  $setUnion: [
    { $cond: [isText("$owner.id"), [{ $concat: ["owner:", "$owner.id"] }], []] },
    sharesExpression("user"),
    sharesExpression("role"),
  ],
};
