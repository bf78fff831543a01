import type { Worker } from "./messaging.ts";
import { runsAutomations } from "./operation-needs.ts";

/** Queue → the function that handles its messages. The contracts are in `shared/contracts/queues.ts`. */
export const queueWorkers: Readonly<Record<string, Worker>> = {
  automation: {
    // Nodes write records, query, send messages and run functions, for up to five minutes.
    needs: { ...runsAutomations, timeout: 300 },
    impact: "automations that written records start run late or not at all; what was written stays.",
  },
  "deliver-message": {
    // A vendor may take 20 seconds.
    needs: {
      acceptsMessages: true,
      callsProviders: true,
      reachesDevices: true,
      usesVendors: true,
      sendsMail: true,
      mailsRaw: true,
      files: { reads: ["documents"] },
    },
    impact: "emails, text messages and push notifications of organizations are late; none is lost.",
    // Most of the time it waits for vendors.
    mostConcurrent: 50,
    announced: {
      "message-unknown": {
        impact: "nobody can tell whether a message of an organization was sent; it is not sent again by itself.",
        runbook: "messages-unknown",
      },
    },
  },
  "email-webhook": {
    // A mail of four megabytes is parsed in memory. What it sets off is queued.
    needs: {
      files: { reads: ["webhooks"], writes: ["documents"] },
      sends: ["automation", "notify-setting", "record-trigger"],
      readsEncryptedFields: true,
      memory: 1769,
    },
    impact:
      "events of sent mails and received mails are recorded late or not at all; their bodies are kept for 30 days.",
  },
  "ses-event": {
    needs: { files: { writes: ["webhooks"] }, sends: ["email-webhook"] },
    receivesSesEvents: true,
    impact:
      "bounces, complaints and deliveries of mails that the platform's account at SES has sent are recorded late.",
  },
  "remove-files": {
    needs: { files: { deletes: ["documents"] } },
    impact: "files of deleted documents are still stored; nobody reaches them.",
  },
  "deliver-notification": {
    // Digests and quiet hours are schedules.
    needs: { acceptsMessages: true, schedules: true, sends: ["deliver-message"], timeout: 60 },
    impact: "push notifications, emails and text messages of notifications are late; lists in apps are not.",
  },
  "notify-setting": {
    // Recipients' texts show values of records as they may read them, also of encrypted fields.
    needs: { sends: ["deliver-notification", "notify-setting"], readsEncryptedFields: true, timeout: 60 },
    impact: "users are told late, or not at all, of what notification settings tell of.",
  },
  "billing-hook": {
    // The payment vendor may take 16 seconds, and the owners are told.
    needs: { usesVendors: true, readsPayments: true, mails: true, files: { reads: ["billing"] } },
    mostConcurrent: 5,
    impact: "payments of organizations are noticed late: those that have paid may still be refused to write.",
    announced: {
      "usage-refused": {
        impact: "the payment vendor could not use reported usage, so an organization is billed too little.",
        runbook: "usage-not-synced",
      },
    },
  },
  "password-reset": {
    needs: { mails: true },
    impact: "people who have forgotten their password get no link.",
  },
  "platform-mail": {
    needs: { opensMails: true, sendsMail: true, timeout: 60 },
    impact: "people whose sign-in asks for a mailed code cannot sign in, and nobody can reset a password.",
    announced: {
      "platform-mail-failed": {
        impact: "a code, a link or a notice was not sent, or nobody can tell whether it was.",
        runbook: "messages-failed",
      },
    },
  },
  "record-trigger": {
    // Whatever the code of a trigger starts runs in the context function; this one waits for it.
    needs: { runsFunctions: true },
    impact: "async record triggers of organizations run late or not at all; what was written stays.",
  },
  "usage-sync": {
    // Two vendors are asked, one for each category. What is left is done by the next attempt.
    needs: { usesVendors: true, callsVendors: true, timeout: 60 },
    mostConcurrent: 5,
    impact: "the usage of organizations is stored and billed late. The payment vendor takes it for 35 days.",
    announced: {
      "usage-not-synced": {
        impact: "the usage of an organization on a day is not stored or not billed, until it is synced again.",
        runbook: "usage-not-synced",
      },
    },
  },
};
