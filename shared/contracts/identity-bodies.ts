import * as z from "zod";
import { id } from "./common.ts";

/**
 * Lengths in characters (code points). NIST SP 800-63B §3.1.1.2 and ASVS 5.0 V6.2: length counts, composition does not.
 */
export const PASSWORD_LENGTH = { min: 10, max: 128 } as const;

/** Limits the work on the input. The password policy is checked later. */
const MAX_PASSWORD_UNITS = 512;

/** The name of the permission that a new organization has for its members. */
export const STANDARD_PERMISSION = "Standard member";

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, "Control characters are not allowed.");

export const email = z
  .string()
  .trim()
  .normalize("NFC")
  .toLowerCase()
  .max(254)
  .check(z.email("A valid email address is required."))
  .describe("An email address. Letter case and surrounding blanks are ignored.")
  .meta({ examples: ["ada@example.com"] });

/** Invalid emails are accepted here, so that the reply is the same for every wrong one. */
export const username = z
  .string()
  .trim()
  .normalize("NFC")
  .toLowerCase()
  .min(1)
  .max(254)
  .describe("The email address of the account, case-insensitive.")
  .meta({ examples: ["ada@example.com"] });

export const newPassword = z
  .string()
  .min(1)
  .max(MAX_PASSWORD_UNITS)
  .normalize("NFC")
  .describe(
    `${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters of any kind. Common passwords, keyboard runs, and the email or ` +
      "the organization's name as the password are refused.",
  )
  .meta({ format: "password", minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max });

export const password = z
  .string()
  .min(1)
  .max(MAX_PASSWORD_UNITS)
  .normalize("NFC")
  .describe("The password of the account.")
  .meta({ format: "password" });

export const organizationName = line(120)
  .describe("The display name of the new organization.")
  .meta({ examples: ["Analytical Engines Ltd"] });

/** A given or a family name. */
export const namePart = line(80);

export const displayName = line(160);

const accessTokenText = z
  .string()
  .describe("Send it as `Authorization: Bearer <access_token>`. A JWT (RS256) for one person in one organization.");

const refreshTokenText = z
  .string()
  .min(1)
  .max(4096)
  .describe("Opaque. Exchanged for new access tokens until the session ends, at most 30 days after the sign-in.");

const tokenType = z.literal("bearer").describe("How the access token is used (RFC 6750).");

const expiresIn = z
  .int()
  .positive()
  .describe("Seconds until the access token expires.")
  .meta({ examples: [900] });

const tokenFields = {
  access_token: accessTokenText,
  refresh_token: refreshTokenText,
  token_type: tokenType,
  expires_in: expiresIn,
};

export const token = z.object(tokenFields).meta({ id: "Token" });

export const registeredToken = z
  .object({ ...tokenFields, organization_id: id.describe("The id of the organization that was created.") })
  .meta({ id: "RegisteredToken" });

export const accessToken = z
  .object({ ...tokenFields, refresh_token: refreshTokenText.optional() })
  .meta({ id: "AccessToken" });

export const refreshToken = z.object({ refresh_token: refreshTokenText }).meta({ id: "RefreshToken" });

export const organizationListEntry = z
  .object({
    id: id.describe("The id of an organization or sandbox."),
    name: z.string().describe("Its display name."),
    description: z.string().optional().describe("Markdown; present for sandboxes."),
  })
  .meta({ id: "OrganizationListEntry" });

const optionalText = z.string().nullable();

const flags = z.record(z.string(), z.boolean());

export const loadedUser = z
  .object({
    id,
    email: z.string().describe("Lowercase."),
    email_confirmed: z
      .boolean()
      .describe("Whether the email is confirmed. Only then can the person be added to other organizations."),
    name: z.string().describe("The display name."),
    first_name: optionalText.describe("The given name, if known."),
    last_name: optionalText.describe("The family name, if known."),
    is_active: z.boolean().describe("Always true here, because a deactivated user has no session."),
    is_account_owner: z.boolean().describe("Owns the active organization."),
    is_account_admin: z.boolean().describe("Administers the active organization."),
    is_superuser: z.boolean().describe("Operates the whole platform."),
    organization_id: id.describe("The active organization, for which the access token was issued."),
    organization_name: z.string().describe("The display name of the active organization."),
    role: z
      .object({ id, name: z.string().describe("The role's display name.") })
      .nullable()
      .describe("The person's role in the active organization."),
    permissions: z.array(id).describe("Ids of the person's permission records in the active organization."),
  })
  .meta({ id: "LoadedUser" });

export const loadedOrganization = z
  .object({
    id,
    name: z.string().describe("The display name."),
    slug: z.string().describe("Unique on the platform, for use in URLs."),
    description: optionalText.describe("Markdown."),
    country: optionalText.describe("An ISO 3166-1 alpha-2 code."),
    is_sandbox: z.boolean().describe("A copy of another organization's configuration, for tests."),
    parent_organization_id: optionalText.describe("For a sandbox: the organization that it is a copy of."),
    sandbox_name: optionalText.describe("For a sandbox: the name given at its creation."),
    status: z.string().describe("`active`, or why the organization cannot be used."),
    settings: z.record(z.string(), z.unknown()).describe("Preferences of the organization."),
    billing: z
      .object({ plan: z.string().describe("The plan's name."), status: z.string().describe("Where payment stands.") })
      .describe("Without the keys of the payment provider, which are never shown."),
    created_date: z.string().describe("When it was created: ISO 8601, UTC, with milliseconds and Z."),
  })
  .meta({ id: "LoadedOrganization" });

export const loadedPermission = z
  .object({
    id,
    name: z.string().describe("The display name."),
    object_permissions: z
      .record(z.string(), flags)
      .describe("Object → `create`, `read`, `update`, `delete`. Several permissions add up."),
    object_field_permissions: z
      .record(z.string(), z.record(z.string(), flags))
      .describe("Object → field → `read`, `update`: exceptions from the object's permissions."),
    scopes: z.array(z.string()).describe("Named rights that do not concern objects."),
  })
  .meta({ id: "LoadedPermission" });
