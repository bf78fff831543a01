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
  "email_suppression",
  "log",
  "notification",
  "push_message",
  "sms_message",
  "usage_record",
]);

/** Written by the platform. Received ones set off what may run after their creation, and nothing that could refuse it. */
const received: ReadonlySet<string> = new Set(["email_message"]);

/** Why records of an object set off nothing at these events; undefined if they do. */
export const refusesEvents = (
  object: string,
  events: readonly unknown[],
  mode: "sync" | "async",
): string | undefined => {
  if (!received.has(object)) return undefined;
  if (mode === "async" && events.every((event) => event === "after_create")) return undefined;
  return `Only received "${object}" records set something off: async triggers and automations, at "after_create".`;
};

/** Why records of an object set off nothing; undefined if they do. */
export const refusesTriggers = (object: string): string | undefined => {
  if (configuration.has(object)) return `"${object}" records are configuration, which sets off no triggers.`;
  return written.has(object) ? `"${object}" records are written by the platform and set off no triggers.` : undefined;
};
