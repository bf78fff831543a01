import * as z from "zod";
import { id } from "./common.ts";
import { displayName, email, newPassword, STANDARD_PERMISSION } from "./identity-bodies.ts";

/**
 * Tasks that operators start with `aws lambda invoke`. The function `tenantry-<stage>-<operation>` gives a JSON object.
 */
export interface OperationContract {
  /** In kebab-case. Names the handler: `functions/operations/<operation>.ts`. */
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
    "Creates the identity and its user record. An existing identity keeps its password and joins the " +
    "organization, but only if its email is confirmed (else `email_not_confirmed`). An existing user record is " +
    "left unchanged. The operation may be repeated until it succeeds. Without a password each repetition mails " +
    "another link; three are valid at a time.",
  input: z.strictObject({
    organization_id: id.describe("An active organization."),
    email,
    name: displayName.describe("The display name."),
    password: newPassword
      .optional()
      .describe(
        "For a new identity. Better left out: the person then gets a mail with a link, valid for 3 days, to " +
          "choose one.",
      ),
    is_account_admin: z.boolean().default(false).describe("Administers the organization."),
    is_account_owner: z.boolean().default(false).describe("Owns the organization's account."),
    two_factor: z
      .enum(["off", "email"])
      .default("off")
      .describe("For a new identity: whether each sign-in asks for a mailed code."),
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
      .describe("Whether a link was mailed. That is so only without a password, and if the email is not confirmed."),
  }),
});

export const grantSuperuser = defineOperation({
  operation: "grant-superuser",
  summary: "Make a person a superuser, or no longer",
  description:
    "Takes effect from the next request on in all of the person's sessions. The person's email must be confirmed.",
  input: z.strictObject({
    email,
    granted: z.boolean().describe("True to grant, false to take away."),
  }),
  output: z.object({ id, email: z.string(), is_superuser: z.boolean() }),
});
