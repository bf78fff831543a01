import * as apiReference from "./api-reference.ts";
import * as automations from "./automations.ts";
import * as billing from "./billing.ts";
import * as context from "./context.ts";
import type { Contract } from "./contract.ts";
import * as discovery from "./discovery.ts";
import { getDocumentContent, uploadDocument } from "./documents.ts";
import * as email from "./email.ts";
import * as emailConfirmation from "./email-confirmation.ts";
import * as emailDomains from "./email-domains.ts";
import * as emailLog from "./email-log.ts";
import * as emailValidation from "./email-validation.ts";
import { listWebhooks, receiveWebhook } from "./email-webhooks.ts";
import * as functions from "./functions.ts";
import * as identity from "./identity.ts";
import * as localExecutions from "./local-executions.ts";
import * as mailboxPages from "./mailbox-pages.ts";
import * as notifications from "./notifications.ts";
import * as oauth from "./oauth.ts";
import * as oauthClients from "./oauth-clients.ts";
import * as passwords from "./passwords.ts";
import * as platform from "./platform.ts";
import * as query from "./query.ts";
import * as records from "./records.ts";
import * as sandbox from "./sandbox.ts";
import * as schema from "./schema.ts";
import * as secondFactor from "./second-factor.ts";
import * as sessions from "./sessions.ts";
import * as signInPages from "./sign-in-pages.ts";
import * as status from "./status.ts";
import * as templates from "./templates.ts";
import * as totp from "./totp.ts";
import * as unsubscribe from "./unsubscribe.ts";
import { createValidationRule, deleteValidationRule, updateValidationRule } from "./validation-rules.ts";

/** Every route of the platform. A contract that is not listed here is not deployed, documented or tested. */
export const routes: readonly Contract[] = [
  ...Object.values(apiReference),
  ...Object.values(billing),
  ...Object.values(context),
  ...Object.values(automations),
  ...Object.values(discovery),
  uploadDocument,
  getDocumentContent,
  ...Object.values(email),
  ...Object.values(emailConfirmation),
  ...Object.values(emailDomains),
  ...Object.values(emailLog),
  ...Object.values(emailValidation),
  ...Object.values(functions),
  ...Object.values(localExecutions),
  ...Object.values(identity),
  ...Object.values(mailboxPages),
  ...Object.values(notifications),
  ...Object.values(oauth),
  ...Object.values(oauthClients),
  ...Object.values(passwords),
  ...Object.values(platform),
  ...Object.values(query),
  ...Object.values(records),
  ...Object.values(sandbox),
  ...Object.values(schema),
  ...Object.values(secondFactor),
  ...Object.values(sessions),
  ...Object.values(signInPages),
  ...Object.values(status),
  ...Object.values(templates),
  ...Object.values(totp),
  ...Object.values(unsubscribe),
  createValidationRule,
  updateValidationRule,
  deleteValidationRule,
  receiveWebhook,
  listWebhooks,
].sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
