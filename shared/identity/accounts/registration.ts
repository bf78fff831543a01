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
import { abandon, activate, type Claim, claim, ownerOfEmail } from "./registration-hold.ts";

export interface Registration extends Device {
  readonly organization_name: string;
  /** Normalised. */
  readonly email: string;
  readonly password: string;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
}

/** How a person is called: their name, or what stands before the @ of their email. */
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

/** Cleans up as far as that is possible now; what is left is cleared by the next registration with the email. */
const giveUp = async ({ identity, organization }: Claim): Promise<void> => {
  try {
    await abandon(identity._id, organization.id);
  } catch (error) {
    log.warn({ organization: organization.id, err: error }, "an unfinished registration could not be cleared away");
  }
};

/** Everything between the claim and its end: the organization's database, and the owner signed in. */
const open = async (claimed: Claim, registration: Registration): Promise<TokenAnswer> => {
  const { identity, organization } = claimed;
  await createOrganizationDatabase(organization, identity);
  await rememberAddress(identity.email, registration.address);
  const session = await tokenSession(identity, organization.id, registration);
  await session.admit();
  await activate(claimed, async (collections, transaction) => {
    await session.store(collections, transaction);
    const who = {
      user_id: identity._id,
      organizations: [organization.id],
      session_id: session.id,
      device: registration,
    };
    await audit({ type: "signed_in", ...who }, transaction);
  });
  return session.answer;
};

const openOrGiveUp = async (claimed: Claim, registration: Registration): Promise<TokenAnswer> => {
  try {
    return await open(claimed, registration);
  } catch (error) {
    await giveUp(claimed);
    throw error;
  }
};

/**
 * Creates an organization with its database and its owner, who is signed in and mailed a link that confirms their email.
 * The email, a slug and a cluster are claimed in the base database; then the organization's database is filled in one
 * transaction; then both become real in the base database. A failure anywhere leaves nothing behind.
 * Raises `registration_closed`, `validation_failed` for the password and `email_taken`.
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
  const claimed = await claim(await applicantOf(registration), organization_name);
  const answer = await openOrGiveUp(claimed, registration);
  await greetWithConfirmation(claimed.identity, registration);
  return { ...answer, organization_id: claimed.organization.id };
};
