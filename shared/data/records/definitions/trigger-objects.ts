/** Configuration. A trigger that fails could keep administrators from mending it. */
const configuration: ReadonlySet<string> = new Set([
  "app",
  "app_metadata",
  "app_page",
  "auth_credential",
  "automation",
  "function",
  "notification_setting",
  "organization",
  "permission",
  "record_trigger",
  "role",
  "schemas",
  "scheduled_item",
  "template",
  "value_list",
]);

/** Written by the platform itself, which runs no triggers. */
const written: ReadonlySet<string> = new Set([
  "audit_entry",
  "email_message",
  "email_suppression",
  "log",
  "notification",
  "push_message",
  "sms_message",
  "usage_record",
]);

/** Why records of an object set off nothing; undefined if they do. */
export const refusesTriggers = (object: string): string | undefined => {
  if (configuration.has(object)) return `"${object}" records are configuration, which sets off no triggers.`;
  return written.has(object) ? `"${object}" records are written by the platform and set off no triggers.` : undefined;
};
