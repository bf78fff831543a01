import type { Caller } from "#shared/tenant/tenant";

export type Operation = "create" | "read" | "update" | "delete";

/**
 * Who may do what needs more than a permission. `admin`: owner, account admin or superuser. `owner`: an account owner
 * or a superuser, because nobody grants what they do not hold. `nobody`: only the platform's own code.
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

const server: ProtectedField = { write: "nobody" };
const secret: ProtectedField = { read: "nobody", write: "nobody" };
const adminsChangeIt = { create: "admin", update: "admin", delete: "admin" } as const;
const platformWritesIt = { create: "nobody", update: "nobody", delete: "nobody" } as const;

/**
 * The one table of what no permission can give, for records, queries, pipelines and functions alike. Fields are
 * protected by name, whether or not the object's schema has them.
 */
const protectedObjects: Readonly<Record<string, ProtectedObject>> = {
  user: {
    operations: { create: "admin", delete: "admin" },
    fields: {
      password_hash: secret,
      totp_secret: secret,
      active_since: secret,
      notification_tokens: secret,
      // An identity's, not the organization's: changed where the person signs in.
      email: server,
      // Checked and merged by the status routes.
      availability: server,
      is_superuser: server,
      // Records of before hold every organization of the person, and where else a colleague works is nobody's business.
      organizations: secret,
      organization_id: server,
      organization_name: server,
      is_account_owner: { write: "owner" },
      is_account_admin: { write: "admin" },
      is_active: { write: "admin" },
      permissions: { write: "admin" },
      role: { write: "admin" },
    },
  },
  role: { operations: adminsChangeIt },
  permission: { operations: adminsChangeIt },
  function: { operations: adminsChangeIt },
  record_trigger: { operations: adminsChangeIt },
  automation: { operations: adminsChangeIt },
  organization: {
    operations: { create: "nobody", update: "admin", delete: "nobody" },
    fields: {
      // The registry and every member's list of organizations hold it too.
      name: server,
      slug: server,
      is_sandbox: server,
      parent_organization_id: server,
      sandbox_name: server,
      status: server,
      billing: secret,
    },
  },
  template: { operations: adminsChangeIt },
  notification_setting: { operations: adminsChangeIt },
  app_metadata: { operations: adminsChangeIt },
  auth_credential: { operations: adminsChangeIt, fields: { value: { read: "nobody" } } },
  // What the platform says has happened. Who could write it could forge it.
  log: { operations: platformWritesIt },
  email_message: { operations: platformWritesIt },
  notification: { operations: platformWritesIt },
  usage_record: { operations: platformWritesIt },
  audit_entry: { operations: { ...platformWritesIt, read: "admin" } },
  // How far the platform is with it. The statuses of leads, tasks, invoices and questions are what people enter.
  scheduled_item: { fields: { status: server, status_history: server } },
  document: { fields: { status: server } },
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

/** Fields that can be set, and whose values nobody is ever shown. */
export const writeOnlyFieldsOf = (object: string): readonly string[] =>
  Object.entries(entryOf(object)?.fields ?? {})
    .filter(([, { read, write }]) => read === "nobody" && write !== "nobody")
    .map(([name]) => name);

/** Who alone may do it, or undefined where permissions decide. */
export const holderOf = (object: string, operation: Operation): Holder | undefined =>
  entryOf(object)?.operations?.[operation];

export const fieldHolderOf = (object: string, field: string, mode: "read" | "write"): Holder | undefined =>
  fieldOf(object, field)?.[mode];

/** False if the table keeps the caller from it, whatever their permissions say. */
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
