import type { ObjectSchema } from "../object-schema.ts";
import { boolean, email, json, list, lookup, lookups, oneOf, phone, standardObject, text, url } from "./define.ts";

export const peopleObjects = (): ObjectSchema[] => [
  standardObject("user", {
    description: "A person who signs in to this organization.",
    icon: "user",
    fields: {
      email: email({ required: true, unique: true, description: "The address that the person signs in with." }),
      first_name: text({ pii: true }),
      last_name: text({ pii: true }),
      is_active: boolean({ required: true, default: true, description: "Only active users can use the organization." }),
      is_account_owner: boolean({
        default: false,
        description: "May do everything; the last owner cannot be removed.",
      }),
      is_account_admin: boolean({ default: false, description: "May do everything but name owners." }),
      role: lookup("role"),
      permissions: lookups("permission", { description: "What the person may do; the highest access wins." }),
      organization_id: text({ description: "The organization that the record belongs to." }),
      organization_name: text(),
      organizations: list({ description: "Known to the platform only: `GET /v1/auth/load` answers one's own." }),
      time_zone: text({ description: "IANA name, such as Europe/Berlin: where the person's days begin." }),
      availability: json({ description: "What the person set by hand." }),
      phone: phone({ description: "For text messages." }),
      notification_preferences: json({
        description: "What reaches the person, and when: `GET /v1/notifications/preferences`.",
      }),
      notification_tokens: list({ sensitive: true, description: "Their devices' push tokens." }),
    },
  }),
  standardObject("role", {
    description: "A place in the hierarchy, which decides whose records a user sees.",
    icon: "hierarchy",
    fields: {
      description: text(),
      parent: lookup("role", { description: "The role above." }),
      view_access: oneOf(["personal", "team", "subordinate", "full"], {
        default: "personal",
        description: "Whose records its users see.",
      }),
    },
  }),
  standardObject("permission", {
    description: "A set of rights that users can be given.",
    icon: "key",
    fields: {
      description: text(),
      object_permissions: json({ description: "`{object: {create, read, update, delete}}`, each true or false." }),
      object_field_permissions: json({ description: "`{object: {field: {read, update}}}`, each true or false." }),
      scopes: list({
        description: 'Rights that concern no object. `["sensitive:read"]` shows the values of sensitive fields.',
      }),
    },
  }),
  standardObject("organization", {
    description: "The organization itself; it has exactly one record.",
    icon: "building",
    fields: {
      slug: text(),
      description: text(),
      country: text(),
      is_sandbox: boolean({ default: false }),
      parent_organization_id: text(),
      sandbox_name: text(),
      status: oneOf(["active", "suspended"]),
      settings: json({
        description:
          "Preferences, written as a whole. `time_zone` (IANA name) holds for users without one of their own. " +
          "`country` (ISO 3166-1 alpha-2) is assumed for telephone numbers without a country code. " +
          "`require_second_factor: true` lets nobody in who has signed in with a password alone.",
      }),
      billing: json({ sensitive: true, description: "Known to the platform only." }),
    },
  }),
  standardObject("auth_credential", {
    description: "What an integration signs in with. The value can be set but never read.",
    icon: "lock",
    fields: {
      kind: oneOf(["integration", "emailvendor", "smsvendor", "pushvendor"], {
        default: "integration",
        description: "What it is for. Messages are sent by the active one of their kind; `provider` names the vendor.",
      }),
      provider: text({ required: true, indexed: true }),
      type: oneOf(["api_key", "basic", "bearer", "oauth2"]),
      value: json({ required: true, sensitive: true, description: "Write-only." }),
      base_url: url({
        description:
          "The origin of the provider, such as https://api.example.com: functions send requests there and nowhere else. " +
          "It changes only together with `value`.",
      }),
      header: text({ description: "The header for a key of the type `api_key`; `X-API-Key` by default." }),
      active: boolean({ default: true, description: "Only active ones are used." }),
      admins_only: boolean({ default: false, description: "Whether only administrators' functions may use it." }),
      expires_at: { type: "string", format: "date-time" },
    },
  }),
];
