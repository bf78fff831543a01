import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { ensureBaseIndexes, type Identity } from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import { hashPassword } from "../credentials/password-hash.ts";
import { type LeakedPasswords, passwordIssues, personalWords } from "../credentials/password-policy.ts";
import { greetWithConfirmation } from "../mail/email-confirmation.ts";
import type { Device } from "../sessions/device.ts";
import { type TokenAnswer, tokenSession } from "../sessions/sessions.ts";
import { rememberAddress } from "../sign-in/attempts.ts";
import { createOrganizationDatabase } from "./new-organization.ts";
import {
  abandonRegistration,
  activateRegistration,
  holdRegistration,
  ownerOfEmail,
  type RegistrationHold,
} from "./registration-hold.ts";

export interface Registration extends Device {
  readonly organization_name: string;
  /** Normalised. */
  readonly email: string;
  readonly password: string;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
}

/** First and last name, or the local part of the email. */
const nameOf = ({ first_name, last_name, email }: Registration): string =>
  [first_name, last_name].filter((part) => part !== undefined).join(" ") || email.slice(0, email.indexOf("@"));

const applicantOf = async (registration: Registration): Promise<Identity> => ({
  _id: uuidv7(),
  email: registration.email,
  name: nameOf(registration),
  first_name: registration.first_name ?? null,
  last_name: registration.last_name ?? null,
  password_hash: await hashPassword(registration.password),
  email_confirmed: false,
  is_active: true,
  is_superuser: false,
  two_factor: "off",
  organizations: [],
  last_organization_id: null,
  created_date: now(),
  modified_date: now(),
});

/** Cleans up as far as possible now. The next registration with the email removes the rest. */
const giveUp = async ({ identity, organization }: RegistrationHold): Promise<void> => {
  try {
    await abandonRegistration(identity._id, organization.id);
  } catch (error) {
    log.warn({ organization: organization.id, err: error }, "an unfinished registration could not be removed");
  }
};

/** Everything after the hold: creates the organization's database and signs the owner in. */
const open = async (hold: RegistrationHold, registration: Registration): Promise<TokenAnswer> => {
  const { identity, organization } = hold;
  await createOrganizationDatabase(organization, identity);
  await rememberAddress(identity.email, registration.address);
  const session = await tokenSession(identity, organization.id, registration);
  await session.publishAndWrite(() =>
    activateRegistration(hold, async (collections, transaction) => {
      await session.store(collections, transaction);
      const who = {
        user_id: identity._id,
        organizations: [organization.id],
        session_id: session.id,
        device: registration,
      };
      await audit({ type: "signed_in", ...who }, transaction);
    }),
  );
  return session.answer;
};

const openOrGiveUp = async (hold: RegistrationHold, registration: Registration): Promise<TokenAnswer> => {
  try {
    return await open(hold, registration);
  } catch (error) {
    await giveUp(hold);
    throw error;
  }
};

/**
 * Creates an organization with its database and its owner, who is signed in and mailed a link that confirms their
 * email. Three steps: a hold on the email, a slug and a cluster in the base database; one transaction that fills the
 * organization's database; activation in the base database. A failure in any of them leaves nothing behind. Raises
 * `registration_closed`, `validation_failed` for the password and `email_taken`.
 */
export const register = async (
  registration: Registration,
  leaked: LeakedPasswords,
): Promise<TokenAnswer & { organization_id: string }> => {
  if (!env.registrationIsOpen()) throw new Fault("registration_closed");
  const { email, organization_name } = registration;
  refuseIfAny(passwordIssues(registration.password, personalWords(email, organization_name), leaked));
  await ensureBaseIndexes();
  if ((await ownerOfEmail(email)) !== null) throw new Fault("email_taken");
  const hold = await holdRegistration(await applicantOf(registration), organization_name);
  const answer = await openOrGiveUp(hold, registration);
  await greetWithConfirmation(hold.identity, registration);
  return { ...answer, organization_id: hold.organization.id };
};
