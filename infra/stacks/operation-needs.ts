import type { Needs } from "../constructs/needs.ts";

/** To hash a password takes a whole processor, and as long as it is given less. */
const hashesPasswords = { memory: 1769 } as const;

/** The database stops a query after 20 seconds; this leaves time to say so, before API Gateway gives up at 30. */
const runsQueries = { timeout: 28 } as const;

/** What can be set and never read is encrypted before it is written; nothing that writes records may decrypt it. */
const sealsValues = { seals: true } as const;

/** A batch may hold 500 secrets, each of which is a call to KMS. */
const sealsBatches = { ...sealsValues, timeout: 28 } as const;

/**
 * Operations that need more than their access implies (a token implies the database and the public keys). An operation
 * that is not listed here needs nothing more, so that a new contract is deployed without a change under `infra`.
 */
export const operationNeeds: Readonly<Record<string, Needs>> = {
  getStatus: { database: true, verifies: true },
  getJwks: { verifies: true },
  register: { database: true, signs: true, mails: true, registration: true, ...hashesPasswords },
  login: { database: true, signs: true, mails: true, ...hashesPasswords },
  verifySecondFactor: { database: true, signs: true, opens: true, mails: true, ...hashesPasswords },
  enrolTotp: { seals: true, ...hashesPasswords },
  confirmTotp: { opens: true, mails: true },
  disableTotp: { opens: true, mails: true, ...hashesPasswords },
  // They also let operators of the platform into an organization, whose owners are told by mail.
  getSignInStatus: { database: true, signs: true, mails: true },
  refresh: { database: true, signs: true, mails: true },
  changePassword: { mails: true, ...hashesPasswords },
  forgotPassword: { database: true, mails: true, waits: true },
  resetPassword: { database: true, mails: true, ...hashesPasswords },
  confirmEmail: { database: true, ...hashesPasswords },
  requestEmailConfirmation: { mails: true },
  issueToken: { database: true, signs: true },
  getCodeUrl: { database: true },
  showAuthorization: { database: true },
  submitPassword: { database: true, mails: true, ...hashesPasswords },
  submitCode: { database: true, opens: true, mails: true, ...hashesPasswords },
  checkApproval: { database: true },
  decideAuthorization: { database: true },
  leavePages: { database: true },
  submitForgotPassword: { database: true, mails: true, waits: true },
  submitResetPassword: { database: true, mails: true, ...hashesPasswords },
  submitConfirmEmail: { database: true, ...hashesPasswords },
  switchOrganization: { signs: true, mails: true },
  createRecords: sealsBatches,
  // Who owns an organization is changed as a user's record, and the owners are told by mail.
  updateRecords: { mails: true, ...sealsBatches },
  updateRecord: { mails: true, ...sealsValues },
  deleteRecord: { mails: true },
  deleteRecords: { mails: true },
  getQuery: runsQueries,
  postQuery: runsQueries,
  runDocdbQuery: runsQueries,
};

/** What operators' functions need beyond the database. */
export const operatorNeeds: Readonly<Record<string, Needs>> = {
  "create-user": { mails: true, ...hashesPasswords },
  "grant-superuser": { mails: true },
};

/** Operators' functions whose every use the other operators hear of, and why. */
export const announcedOperations: Readonly<Record<string, string>> = {
  "grant-superuser":
    "someone was made a superuser of the whole platform, or tried to: make sure that it was one of us.",
};
