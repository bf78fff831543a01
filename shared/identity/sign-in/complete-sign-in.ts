import type { ClientSession, Document, Filter } from "mongodb";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type Base, base, type Identity } from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import type { Device } from "../sessions/device.ts";
import { chooseOrganization } from "../sessions/membership.ts";
import type { PrepareSession } from "../sessions/sessions.ts";
import { rememberAddress } from "./attempts.ts";

/** The last step of a sign-in: what must be true of the identity, and how it is changed. */
export interface SignInCompletion<A> {
  readonly identity: Identity;
  /** Makes the kind of session that the sign-in ends in. */
  readonly prepare: PrepareSession<A>;
  readonly device: Device;
  /** Whether they have given a second factor. */
  readonly second_factor: boolean;
  /** A condition on the identity, besides `unchanged`. */
  readonly where?: Filter<Identity>;
  /** MongoDB update operators for the identity. */
  readonly update?: Document;
  /** Uses up the code or request that the person signed in with; raises if it was used already. */
  readonly alongside?: (collections: Base, transaction: ClientSession) => Promise<void>;
  /** The fault if the identity has changed since it was read. */
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
const organizationFor = async ({ identity, second_factor }: SignInCompletion<unknown>): Promise<string> => {
  const organizationId = await chooseOrganization(identity, identity.last_organization_id, {
    second_factor,
    begun: now(),
  });
  if (organizationId !== null) return organizationId;
  throw new Fault("not_a_member", { message: "You are not an active member of any active organization." });
};

const beginSession = async <A>(completion: SignInCompletion<A>, organizationId: string): Promise<A> => {
  const { identity, prepare, device, second_factor, where = {}, update = {}, alongside, refusal } = completion;
  const { _id, email, is_superuser } = identity;
  const session = await prepare({ _id, email, is_superuser, second_factor }, organizationId, device);
  const collections = await base();
  const stored = await session.publishAndWrite(() =>
    collections.transaction(async (transaction) => {
      // The identity is written in this transaction, so that a concurrent change of password, activity or rights
      // conflicts with it and happens before or after the whole sign-in.
      const current = await collections.users.updateOne(
        { ...unchanged(identity), is_superuser, ...where },
        { ...update, $set: { last_organization_id: organizationId, ...update.$set } },
        { session: transaction },
      );
      if (current.matchedCount !== 1) return null;
      await alongside?.(collections, transaction);
      await session.store(collections, transaction);
      const who = { user_id: _id, organizations: [organizationId], session_id: session.id, device };
      await audit({ type: "signed_in", ...who }, transaction);
      return session.id;
    }),
  );
  if (stored !== null) {
    await rememberAddress(email, device.address);
    return session.answer;
  }
  const changed = await collections.users.findOne({ ...unchanged(identity), ...where });
  if (changed === null || changed.is_superuser === is_superuser) throw refusal();
  return beginSession({ ...completion, identity: changed }, organizationId);
};

/**
 * Begins a session of an identity whose credentials have all been checked, in the organization that they used last or
 * else their first. Raises `not_a_member`, and `refusal` if the credentials have changed since they were checked.
 */
export const completeSignIn = async <A>(completion: SignInCompletion<A>): Promise<A> =>
  beginSession(completion, await organizationFor(completion));
