import type { Document } from "mongodb";
import { originOf } from "#shared/trail/trail";
import type { Target } from "./target.ts";
import type { Changed } from "./trailed.ts";

const isOwner = (user: Document | null): boolean => user?.is_account_owner === true && user.is_active === true;

const isAdministrator = (user: Document | null): boolean =>
  user?.is_active === true && (user.is_account_owner === true || user.is_account_admin === true);

const namesOf = (users: readonly (Document | null)[]): string[] =>
  users.map((user) => `${String(user?.name)} (${String(user?.email)})`);

/**
 * After a write of users was committed: tells the owners who owns the organization now, and which clients have lost the
 * administrator who answered for them. Never raises for a mail. Loaded only when there is something to tell.
 */
export const tellOwnersOf = async ({ tenant, object }: Target, written: readonly Changed[]): Promise<void> => {
  if (object !== "user") return;
  const gained = written.filter(({ before, after }) => !isOwner(before) && isOwner(after));
  const lost = written.filter(({ before, after }) => isOwner(before) && !isOwner(after));
  const stepped = written.filter(({ before, after }) => isAdministrator(before) && !isAdministrator(after));
  if (gained.length + lost.length + stepped.length === 0) return;
  const { tellOfStoppedClients, tellOwners } = await import("#shared/trail/owners/owners");
  const origin = originOf(tenant);
  const former = lost.map(({ before }) => before);
  const names = { gained: namesOf(gained.map(({ after }) => after)), lost: namesOf(former) };
  const also = former.map((user) => String(user?.email));
  const ids = stepped.flatMap(({ before }) => before?._id ?? []);
  await Promise.all([
    names.gained.length + names.lost.length === 0
      ? undefined
      : tellOwners(tenant, { kind: "ownership_changed", ...names }, { origin, also }),
    tellOfStoppedClients(tenant, ids, origin),
  ]);
};
