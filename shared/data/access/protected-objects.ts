import type { Caller } from "#shared/tenant/tenant";

export type Operation = "create" | "read" | "update" | "delete";

/**
 * Who may do what needs more than a permission. `admin`: owner, account admin or superuser. `owner`: an account owner
 * or a superuser, because only owners may grant ownership. `nobody`: only the platform's own code.
 */
export type Holder = "admin" | "owner" | "nobody";

interface ProtectedField {
  readonly read?: Holder;
  readonly write?: Holder;
}

interface ProtectedObject {
  readonly operations?: Readonly<Partial<Record<Operation, Holder>>>;
  readonly fields?: Readonly<Record<string, ProtectedField>>;
}

const platformWrites: ProtectedField = { write: "nobody" };
const secret: ProtectedField = { read: "nobody", write: "nobody" };
const adminsWrite = { create: "admin", update: "admin", delete: "admin" } as const;
const onlyPlatformWrites = { create: "nobody", update: "nobody", delete: "nobody" } as const;

/**
 * What no permission can give. It applies to records, queries, pipelines and functions. Fields are protected by name,
 * whether or not the object's schema has them.
 */
const protectedObjects: Readonly<Record<string, ProtectedObject>> = {
  user: {
    operations: { create: "admin", delete: "admin" },
    fields: {
      password_hash: secret,
      totp_secret: secret,
      active_since: secret,
      notification_tokens: secret,
      // Belongs to the identity, which is not the organization's to change.
      email: platformWrites,
      // Written by the status routes, which validate and merge it.
      availability: platformWrites,
      notification_preferences: platformWrites,
      is_superuser: platformWrites,
      // Old records list all organizations of the person, which colleagues must not see.
      organizations: secret,
      organization_id: platformWrites,
      organization_name: platformWrites,
      is_account_owner: { write: "owner" },
      is_account_admin: { write: "admin" },
      is_active: { write: "admin" },
      permissions: { write: "admin" },
      role: { write: "admin" },
    },
  },
  role: { operations: adminsWrite },
  permission: { operations: adminsWrite },
  function: { operations: adminsWrite },
  record_trigger: { operations: adminsWrite },
  automation: { operations: adminsWrite },
  organization: {
    operations: { create: "nobody", update: "admin", delete: "nobody" },
    fields: {
      // Also stored in the registry and in every member's list of organizations.
      name: platformWrites,
      slug: platformWrites,
      is_sandbox: platformWrites,
      parent_organization_id: platformWrites,
      sandbox_name: platformWrites,
      status: platformWrites,
      billing: secret,
    },
  },
  template: { operations: adminsWrite },
  // Part of the model, which administrators define.
  value_list: { operations: adminsWrite },
  notification_setting: { operations: adminsWrite },
  app_metadata: { operations: adminsWrite },
  auth_credential: { operations: adminsWrite, fields: { value: { read: "nobody" } } },
  // Records of what has happened. Callers could forge them if they could write them.
  log: { operations: onlyPlatformWrites },
  email_message: { operations: onlyPlatformWrites },
  sms_message: { operations: onlyPlatformWrites },
  push_message: { operations: onlyPlatformWrites },
  // An administrator who deletes one lets the address have mail again.
  email_suppression: { operations: { create: "nobody", update: "nobody", delete: "admin" } },
  notification: { operations: onlyPlatformWrites },
  usage_record: { operations: onlyPlatformWrites },
  audit_entry: { operations: { ...onlyPlatformWrites, read: "admin" } },
  // Set by the platform as it proceeds. Callers set some values of its status (shared/data/records/scheduling).
  scheduled_item: {
    fields: {
      status_history: platformWrites,
      revision: platformWrites,
      last_run: platformWrites,
      execution_id: platformWrites,
    },
  },
  // Set by the platform as it proceeds, unlike the statuses of leads, tasks, invoices and questions.
  document: { fields: { status: platformWrites, file: platformWrites } },
};

type CallerRoles = Pick<Caller, "is_admin" | "is_account_owner" | "is_superuser">;

const holds = (caller: CallerRoles, holder: Holder): boolean => {
  if (holder === "nobody") return false;
  return holder === "owner" ? caller.is_account_owner || caller.is_superuser : caller.is_admin;
};

const entryOf = (object: string): ProtectedObject | undefined =>
  Object.hasOwn(protectedObjects, object) ? protectedObjects[object] : undefined;

const fieldOf = (object: string, field: string): ProtectedField | undefined => {
  const fields = entryOf(object)?.fields;
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
};

/** Fields that can be set and never read. */
export const writeOnlyFieldsOf = (object: string): readonly string[] =>
  Object.entries(entryOf(object)?.fields ?? {})
    .filter(([, { read, write }]) => read === "nobody" && write !== "nobody")
    .map(([name]) => name);

/** Objects with such fields. */
export const writeOnlyObjects = (): readonly string[] =>
  Object.keys(protectedObjects).filter((object) => writeOnlyFieldsOf(object).length > 0);

/** Who may do it; undefined where permissions decide. */
export const holderOf = (object: string, operation: Operation): Holder | undefined =>
  entryOf(object)?.operations?.[operation];

export const fieldHolderOf = (object: string, field: string, mode: "read" | "write"): Holder | undefined =>
  fieldOf(object, field)?.[mode];

/** False if the table forbids it, whatever the caller's permissions are. */
export const tableAllows = (caller: CallerRoles, object: string, operation: Operation): boolean => {
  const holder = holderOf(object, operation);
  return holder === undefined || holds(caller, holder);
};

export const tableAllowsField = (
  caller: CallerRoles,
  object: string,
  field: string,
  mode: "read" | "write",
): boolean => {
  const holder = fieldHolderOf(object, field, mode);
  return holder === undefined || holds(caller, holder);
};
