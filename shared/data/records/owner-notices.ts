import type { Document } from "mongodb";
import { originOf } from "#shared/trail/trail";
import type { RecordChange } from "./recorded-changes.ts";
import type { Target } from "./target.ts";

const isOwner = (user: Document | null): boolean => user?.is_account_owner === true && user.is_active === true;

const isAdministrator = (user: Document | null): boolean =>
  user?.is_active === true && (user.is_account_owner === true || user.is_account_admin === true);

const namesOf = (users: readonly (Document | null)[]): string[] =>
  users.map((user) => `${String(user?.name)} (${String(user?.email)})`);

/**
 * Mails the owners after a committed write of users: when the owners have changed, and when clients have lost their
 * responsible administrator. Failed mails raise nothing. The mail code is loaded only when there is something to send.
 */
export const notifyOwnersOfChanges = async (
  { tenant, object }: Target,
  written: readonly RecordChange[],
): Promise<void> => {
  if (object !== "user") return;
  const gained = written.filter(({ before, after }) => !isOwner(before) && isOwner(after));
  const lost = written.filter(({ before, after }) => isOwner(before) && !isOwner(after));
  const demoted = written.filter(({ before, after }) => isAdministrator(before) && !isAdministrator(after));
  if (gained.length + lost.length + demoted.length === 0) return;
  const { notifyOfStoppedClients, notifyOwners } = await import("#shared/trail/owners/owners");
  const origin = originOf(tenant);
  const former = lost.map(({ before }) => before);
  const names = { gained: namesOf(gained.map(({ after }) => after)), lost: namesOf(former) };
  const also = former.map((user) => String(user?.email));
  const ids = demoted.flatMap(({ before }) => before?._id ?? []);
  await Promise.all([
    names.gained.length + names.lost.length === 0
      ? undefined
      : notifyOwners(tenant, { kind: "ownership_changed", ...names }, { origin, also }),
    notifyOfStoppedClients(tenant, ids, origin),
  ]);
};
