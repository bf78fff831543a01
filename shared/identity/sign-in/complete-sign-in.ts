import type { ClientSession, Document, Filter } from "mongodb";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type Base, base, type Identity } from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import type { Device } from "../sessions/device.ts";
import { chooseOrganization } from "../sessions/membership.ts";
import { dismiss, orDismiss } from "../sessions/session-replicas.ts";
import type { PrepareSession } from "../sessions/sessions.ts";
import { rememberAddress } from "./attempts.ts";

/** What has to be true of the identity, and what becomes of it, when somebody comes in. */
export interface Entrance<A> {
  readonly identity: Identity;
  /** What they enter into. */
  readonly prepare: PrepareSession<A>;
  readonly device: Device;
  /** Whether they have given a second factor. */
  readonly second_factor: boolean;
  /** Of the identity, besides what every entrance asks. */
  readonly where?: Filter<Identity>;
  /** MongoDB update operators for the identity. */
  readonly update?: Document;
  /** Uses up what the person came in with; raises if someone else has. */
  readonly alongside?: (collections: Base, transaction: ClientSession) => Promise<void>;
  /** What is raised if the identity has changed since it was looked at. */
  readonly refusal: () => Fault;
}

/** The identity as it was when its credentials were checked. */
export const unchanged = ({ _id, password_hash, two_factor }: Identity): Filter<Identity> => ({
  _id,
  password_hash,
  two_factor,
  is_active: true,
});

/** The organization that the person used last, or else the first where they can work. Raises `not_a_member`. */
const organizationFor = async ({ identity, second_factor }: Entrance<unknown>): Promise<string> => {
  const organizationId = await chooseOrganization(identity, identity.last_organization_id, {
    second_factor,
    begun: now(),
  });
  if (organizationId !== null) return organizationId;
  throw new Fault("not_a_member", { message: "You are not an active member of any active organization." });
};

const begin = async <A>(entrance: Entrance<A>, organizationId: string): Promise<A> => {
  const { identity, prepare, device, second_factor, where = {}, update = {}, alongside, refusal } = entrance;
  const { _id, email, is_superuser } = identity;
  const session = await prepare({ _id, email, is_superuser, second_factor }, organizationId, device);
  const collections = await base();
  await session.admit();
  const entered = await orDismiss(session.id, organizationId, () =>
    collections.transaction(async (transaction) => {
      // The identity is written here, so that a change of password, activity or rights at the same moment comes before or
      // after this sign-in as a whole, never in between.
      const current = await collections.users.updateOne(
        { ...unchanged(identity), is_superuser, ...where },
        { ...update, $set: { last_organization_id: organizationId, ...update.$set } },
        { session: transaction },
      );
      if (current.matchedCount !== 1) return false;
      await alongside?.(collections, transaction);
      await session.store(collections, transaction);
      const who = { user_id: _id, organizations: [organizationId], session_id: session.id, device };
      await audit({ type: "signed_in", ...who }, transaction);
      return true;
    }),
  );
  if (entered) {
    await rememberAddress(email, device.address);
    return session.answer;
  }
  await dismiss(session.id, [organizationId]);
  const changed = await collections.users.findOne({ ...unchanged(identity), ...where });
  if (changed === null || changed.is_superuser === is_superuser) throw refusal();
  return begin({ ...entrance, identity: changed }, organizationId);
};

/**
 * Begins a session of an identity whose credentials have all been checked, in the organization that they used last or else
 * their first. Raises `not_a_member`, and the entrance's refusal if the credentials are right no longer.
 */
export const enter = async <A>(entrance: Entrance<A>): Promise<A> => begin(entrance, await organizationFor(entrance));
