import { queues } from "#contracts/queues";
import type { Needs } from "../constructs/needs.ts";

/** Hashing a password uses a whole processor, and takes longer with less. */
const hashesPasswords = { memory: 1769 } as const;

/** The database stops a query after 20 seconds. This leaves time for the error, below API Gateway's 30. */
const readsSlowly = { timeout: 28 } as const;

/** Replies with records show encrypted fields, and queries compare them by hashes with a key of the same source. */
const readsFields = { readsEncryptedFields: true } as const;

/**
 * Write-only and encrypted fields are encrypted before they are written. Functions that write records may not decrypt
 * write-only fields.
 */
const sealsValues = { seals: true, ...readsFields } as const;

/** They check the stored values of fields, and let the indexes of collections with records be built. */
const changesFields = { ...readsSlowly, invokes: ["build-indexes"] } as const;

/**
 * A first write may meet records of an object without indexes, and more records may refer to a renamed one than a
 * request can change. Writes set off async triggers, and are committed with the messages that sync triggers send.
 */
const writesRecords = {
  invokes: ["build-indexes", "finish-renames"],
  sends: ["automation", "deliver-message", "deliver-notification", "notify-setting", "record-trigger", "remove-files"],
  schedules: true,
} as const;

/** They wait up to 15 seconds for the workflow that they start. */
const runsSandboxes = { startsWorkflows: ["sandbox"], timeout: 28 } as const;

/** They wait for tenants' code, at most 25 seconds. */
const runsCode = { runsFunctions: true, timeout: 28 } as const;

/** A batch may hold 500 secrets, each with a call to KMS. The code of functions is checked by the runner. */
const sealsBatches = { ...sealsValues, ...writesRecords, ...runsCode } as const;

/** Triggers get the deleted records, and what they write may rename others. */
const deletesRecords = { ...readsFields, ...writesRecords, ...runsCode } as const;

/** Nodes of automations do what several routes do: they write records, query and run functions. */
export const runsAutomations = { mails: true, acceptsMessages: true, ...sealsBatches } as const;

/**
 * Needs of operations besides those that their access implies (a token implies the database and the public keys).
 * Operations that are not listed have no further needs, so that a new contract needs no change in `infra`.
 */
export const operationNeeds: Readonly<Record<string, Needs>> = {
  previewTemplate: readsFields,
  getStatus: { database: true, verifies: true },
  getJwks: { verifies: true },
  register: { database: true, signs: true, mails: true, registration: true, ...hashesPasswords },
  login: { database: true, signs: true, mails: true, ...hashesPasswords },
  verifySecondFactor: { database: true, signs: true, opens: true, mails: true, ...hashesPasswords },
  enrolTotp: { seals: true, ...hashesPasswords },
  confirmTotp: { opens: true, mails: true },
  disableTotp: { opens: true, mails: true, ...hashesPasswords },
  // A superuser may enter an organization with them, and its owners are then notified by mail.
  getSignInStatus: { database: true, signs: true, mails: true },
  refresh: { database: true, signs: true, mails: true },
  changePassword: { mails: true, ...hashesPasswords },
  forgotPassword: { database: true, sends: ["password-reset"] },
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
  submitForgotPassword: { database: true, sends: ["password-reset"] },
  submitResetPassword: { database: true, mails: true, ...hashesPasswords },
  submitConfirmEmail: { database: true, ...hashesPasswords },
  switchOrganization: { signs: true, mails: true },
  createSandbox: runsSandboxes,
  // Scheduled items are paused and go on by its settings.
  updateSandbox: { schedules: true },
  refreshSandbox: runsSandboxes,
  deleteSandbox: runsSandboxes,
  // They read the configuration of two organizations.
  diffSandbox: readsSlowly,
  addSandboxUsers: readsSlowly,
  // It changes the model and writes records, as the routes for both do.
  pushSandboxApp: sealsBatches,
  receiveWebhook: {
    database: true,
    readsCredentials: true,
    usesVendors: true,
    files: { writes: ["webhooks"] },
    sends: ["email-webhook"],
    memory: 1769,
  },
  createRecords: sealsBatches,
  // They can change the owners of an organization, who are then notified by mail.
  updateRecords: { mails: true, ...sealsBatches },
  updateRecord: { mails: true, ...sealsBatches },
  deleteRecord: { mails: true, ...deletesRecords },
  deleteRecords: { mails: true, ...deletesRecords },
  // With `dry_run` they evaluate a rule for the stored records.
  createValidationRule: readsSlowly,
  updateValidationRule: readsSlowly,
  createSchema: changesFields,
  updateSchema: changesFields,
  createField: changesFields,
  updateField: changesFields,
  deleteField: changesFields,
  generateSchemas: changesFields,
  runFunction: runsCode,
  replayExecution: runsAutomations,
  runAutomation: runsAutomations,
  runPublicAutomation: { database: true, ...runsAutomations },
  showUnsubscribe: { database: true },
  unsubscribe: { database: true },
  beginLocalExecution: { beginsLocalExecutions: true },
  endLocalExecution: { database: true },
  // Whatever running code may ask for: it writes records, queries and runs further functions.
  callContext: { answersCode: true, database: true, callsProviders: true, ...runsAutomations },
  syncSmsvendorUsage: { sends: ["usage-sync"] },
  receiveBillingHook: {
    database: true,
    usesVendors: true,
    sends: ["billing-hook"],
    files: { writes: ["billing"] },
  },
  getRecord: readsFields,
  listRecords: { ...readsSlowly, ...readsFields },
  getRecordHistory: readsSlowly,
  uploadDocument: { files: { writes: ["documents"] }, ...sealsBatches },
  getDocumentContent: { files: { reads: ["documents"] }, ...readsFields },
  getQuery: { ...readsSlowly, ...readsFields },
  postQuery: { ...readsSlowly, ...readsFields },
  runDocdbQuery: readsSlowly,
  // The token of a device is sealed.
  setNotificationToken: { seals: true },
  sendNotification: { acceptsMessages: true, sends: ["deliver-message"] },
  sendNotifications: { sends: ["notify-setting"] },
  sendDynamicNotifications: { sends: ["deliver-notification"] },
  sendEmail: { acceptsMessages: true, schedules: true, sends: ["deliver-message"], ...readsFields },
  addSenderDomain: { knowsSender: true },
  cancelEmailMessage: { schedules: true },
  resendEmailMessage: { sends: ["deliver-message"] },
  validateEmail: { asksDns: true },
  verifySenderDomain: { asksDns: true },
  searchEmailMessages: { ...readsSlowly, ...readsFields },
  getEmailMessage: readsFields,
};

/** Needs of operators' functions besides the database. */
export const operatorNeeds: Readonly<Record<string, Needs>> = {
  "create-user": { mails: true, ...hashesPasswords },
  "grant-superuser": { mails: true },
  "platform-mails": { sends: ["platform-mail"] },
  // Lambda's longest time. The function invokes itself before it ends.
  migrate: { seals: true, invokes: ["migrate"], timeout: 900 },
  "build-indexes": { timeout: 900 },
  "finish-renames": { timeout: 900 },
  "link-billing": { sends: ["billing-hook"] },
  redrive: { redrives: queues.map(({ queue }) => queue) },
};

/** Operators' functions with an alarm on each use, and the reason. */
export const announcedOperations: Readonly<Record<string, string>> = {
  "grant-superuser":
    "someone was made a superuser of the whole platform, or tried to: make sure that it was one of us.",
};

/** Operators' functions that are invoked asynchronously, and the effect of an event that Lambda gives up. */
export const lostOperations: Readonly<Record<string, string>> = {
  "build-indexes":
    "fields of an organization stay without their index: filters are slow, and unique ones are not enforced.",
  "finish-renames": "references of an organization show the earlier names of renamed records.",
};

/** Operators' functions that go on after a failure, and the effect of it. */
export const failingOperations: Readonly<Record<string, string>> = {
  migrate: "an organization stays on the database of an earlier release; what is new may not work for it.",
};
