import { isDeepStrictEqual } from "node:util";
import { Fault } from "#shared/foundation/faults";
import type { Field } from "./object-schema.ts";

/** Standard fields whose values decide what users may do. */
const rightsFields: Readonly<Record<string, readonly string[]>> = {
  user: ["role", "permissions", "is_account_owner", "is_account_admin", "is_active", "email"],
  role: ["parent", "view_access"],
  permission: ["object_permissions", "object_field_permissions", "scopes"],
  organization: ["settings", "status"],
};

const withoutLabels = ({ name: _, description: __, help_text: ___, ...settings }: Field) => settings;

/**
 * Refuses changes of how fields that decide rights are stored, checked and audited: a sensitive field would leave no
 * trace of a change of rights. Their labels may change. Raises `standard_object`.
 */
export const refuseOtherRights = (object: string, before: Field, after: Field): void => {
  const known = Object.hasOwn(rightsFields, object) ? rightsFields[object] : undefined;
  if (known === undefined || !known.includes(after.api_name)) return;
  if (isDeepStrictEqual(withoutLabels(before), withoutLabels(after))) return;
  const message = `The field "${after.api_name}" decides what users may do. Only its name and its descriptions can be changed.`;
  throw new Fault("standard_object", { message });
};
