import * as z from "zod";
import { id } from "./common.ts";
import { displayName, email, newPassword, STANDARD_PERMISSION } from "./identity-bodies.ts";

/** Work that operators start with `aws lambda invoke`: the function `tenantry-<stage>-<operation>` answers a JSON object. */
export interface OperationContract {
  /** In kebab-case; names the handler: `functions/operations/<operation>.ts`. */
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly input: z.ZodType<object>;
  readonly output: z.ZodType<object>;
}

const defineOperation = <const C extends OperationContract>(contract: C): C => contract;

export const createUser = defineOperation({
  operation: "create-user",
  summary: "Add a person to an organization",
  description:
    "Creates the identity and its user record. An email that has an identity already keeps its password and only joins the " +
    "organization, once its owner has confirmed it (else `email_not_confirmed`); a user record that exists already is left as it is. " +
    "So the operation may be repeated until it succeeds; without a password it then mails another link, of which three are valid at a time.",
  input: z.strictObject({
    organization_id: id.describe("An active organization."),
    email,
    name: displayName.describe("The display name."),
    password: newPassword
      .optional()
      .describe(
        "Of a new identity. Better left out: the person is then mailed a link, valid for 3 days, with which they choose one.",
      ),
    is_account_admin: z.boolean().default(false).describe("Administers the organization."),
    is_account_owner: z.boolean().default(false).describe("Owns the organization's account."),
    two_factor: z
      .enum(["off", "email"])
      .default("off")
      .describe("Of a new identity: whether a code by mail is asked for at each sign-in."),
    permissions: z
      .array(z.string().min(1))
      .max(100)
      .default([STANDARD_PERMISSION])
      .describe("Ids or names of permission records of the organization."),
  }),
  output: z.object({
    id: id.describe("Of the identity and of the user record."),
    email: z.string(),
    invited: z
      .boolean()
      .describe("Whether a link was mailed: only without a password, and to nobody who has shown a mailbox before."),
  }),
});

export const grantSuperuser = defineOperation({
  operation: "grant-superuser",
  summary: "Make a person an operator of the whole platform, or no longer",
  description:
    "Counts from the next request on in all of the person's sessions. Nobody is made one before they have confirmed their email.",
  input: z.strictObject({
    email,
    granted: z.boolean().describe("True to grant, false to take away."),
  }),
  output: z.object({ id, email: z.string(), is_superuser: z.boolean() }),
});
