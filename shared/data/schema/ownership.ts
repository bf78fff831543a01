import type { ObjectSchema } from "./object-schema.ts";

/** The part of an object's schema that decides whether its records belong to users. */
export type OwnedObject = Pick<ObjectSchema, "api_name" | "ownership" | "exclusive_ownership">;

/** Objects of the organization as a whole: who may read them sees all of their records. */
const withoutOwners: ReadonlySet<string> = new Set([
  "user",
  "role",
  "permission",
  "organization",
  "app",
  "app_page",
  "app_metadata",
  "automation",
  "function",
  "record_trigger",
  "template",
  "notification_setting",
  "auth_credential",
  "value_list",
  "audit_entry",
  "documentation",
  "blog_post",
  "marketing_page",
  "page",
]);

/** Whether roles and shares decide who sees which records of the object. */
export const hasOwners = ({ api_name, ownership }: OwnedObject): boolean => ownership && !withoutOwners.has(api_name);
