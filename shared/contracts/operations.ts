import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { displayName, email, newPassword, STANDARD_PERMISSION } from "./identity-bodies.ts";
import { platformMailKinds, platformMailStatuses } from "./platform-messages.ts";
import { queues } from "./queues.ts";

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

const migrationCounts = z.record(z.string(), z.number().int());

export const migrate = defineOperation({
  operation: "migrate",
  summary: "Bring the databases of earlier releases to this one",
  description:
    "Runs what is missing in the base database, and then in every organization that is not up to date. The failure of " +
    "one organization is reported and does not stop the others. The function invokes itself again before its time " +
    "ends, and may be invoked again at any time: it does only what is left.",
  input: z.strictObject({
    dry_run: z.boolean().default(false).describe("Reports what would be done, and changes nothing."),
    organization_ids: z
      .array(id)
      .max(1_000)
      .optional()
      .describe("Only these organizations, also if they are up to date."),
    at_once: z.number().int().min(1).max(32).default(4).describe("Organizations at the same time."),
    per_second: z
      .number()
      .min(0)
      .max(1_000)
      .default(20)
      .describe("The number of organizations that are begun in a second, at most. 0: no limit."),
    run_id: z.string().max(100).optional().describe("Continues a run. The function itself gives it."),
    invocation: z.number().int().min(1).max(1_000).default(1).describe("The function counts its own invocations."),
  }),
  output: z.object({
    run_id: z.string().describe("Empty if there was nothing to do, and for a dry run."),
    release: z.string().describe("Changes with the migrations of a release."),
    finished: z.boolean().describe("False if the function has invoked itself to go on."),
    done: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int().describe("Organizations that another run works on."),
    remaining: z.number().int().describe("Organizations that are not up to date."),
    by_migration: migrationCounts.describe("Migration → number of databases in which it was, or would be, completed."),
    failures: z
      .array(z.object({ organization_id: id, migration: z.string(), reason: z.string() }))
      .describe("At most 20 of them."),
    preview: z
      .record(id, z.record(z.string(), z.unknown()))
      .optional()
      .describe("In a dry run: what would be done, for at most 20 organizations."),
  }),
});

export const buildIndexes = defineOperation({
  operation: "build-indexes",
  summary: "Build the indexes of an object after its fields have changed",
  description:
    "Builds the indexes that the object's fields ask for, drops those that they no longer ask for, and sets the " +
    "`index_status` of the fields. The platform invokes it; operators may do so too.",
  input: z.strictObject({
    organization_id: id,
    object: z.string().min(1).max(80).describe("The api_name of the object."),
  }),
  output: z.object({ outcome: z.enum(["settled", "unknown_organization"]) }),
});

export const linkBilling = defineOperation({
  operation: "link-billing",
  summary: "Note the accounts of an organization at the payment vendor and the SMS vendor",
  description:
    "Without it an organization is on the free plan and its usage is not synced. The state of its payment is read at once. " +
    "May be repeated. A sandbox has no accounts.",
  input: z.strictObject({
    organization_id: id,
    paymentvendor_customer_id: z
      .string()
      .regex(/^cus_[A-Za-z0-9]{1,100}$/, "Expected the id of a customer, such as cus_Nff….")
      .nullish()
      .describe("Null removes it; absent leaves it as it is."),
    smsvendor_account_id: z
      .string()
      .regex(/^AC[0-9a-fA-F]{32}$/, "Expected the SID of an account.")
      .nullish()
      .describe("Of the subaccount whose usage is the organization's. Null removes it; absent leaves it as it is."),
  }),
  output: z.object({
    organization_id: id,
    paymentvendor_customer_id: z.string().nullable(),
    smsvendor_account_id: z.string().nullable(),
  }),
});

export const finishRenames = defineOperation({
  operation: "finish-renames",
  summary: "Carry new names of records on to the references to them",
  description:
    "Finishes the renames of an organization that are pending, because more records refer to a renamed one than a " +
    "request may change, or because a request died. The platform invokes it; operators may do so too.",
  input: z.strictObject({ organization_id: id }),
  output: z.object({ outcome: z.enum(["finished", "unknown_organization"]) }),
});

const messages = z.int().nonnegative();

export const redrive = defineOperation({
  operation: "redrive",
  summary: "Show the messages of all queues, and send dead letters back",
  description:
    "Without a queue it only counts. With one it sends its dead letters back to it, which SQS does by itself after the answer; " +
    "another call shows how far it is. Nothing is done twice: an entry that has been handled since is gone, and its message is " +
    "acknowledged. What EventBridge Scheduler has given up (`schedules`) cannot be sent back; the job reconcile-schedules replaces it.",
  input: z.strictObject({
    queue: z
      .enum(queues.map(({ queue }) => queue))
      .optional()
      .describe("The queue whose dead letters are sent back."),
    per_second: z.int().min(1).max(500).optional().describe("Messages in a second, at most. SQS decides otherwise."),
  }),
  output: z.object({
    started: z.boolean().describe("Whether this call has begun to send dead letters back. False if there are none."),
    queues: z.array(
      z.object({
        queue: z.string(),
        waiting: messages,
        delayed: messages,
        in_flight: messages.describe("Messages that are handled, or wait for another attempt."),
        dead: messages.describe("Dead letters."),
        redrive: z
          .object({
            status: z.string().describe("`RUNNING`, `COMPLETED`, `CANCELLED` or `FAILED`."),
            started_at: z.string(),
            moved: messages,
            to_move: messages,
            failure: z.string().optional(),
          })
          .nullable()
          .describe("The last time that its dead letters were sent back. SQS forgets it after some time."),
      }),
    ),
  }),
});

const platformMailEntry = z.object({
  id,
  to: z.string(),
  kind: z.enum(platformMailKinds),
  status: z.enum(platformMailStatuses),
  created: timestamp,
  valid_until: timestamp.describe("It is not sent later."),
  attempts: z.number().int().describe("Calls of the mail service."),
  events: z.array(z.object({ type: z.string(), at: timestamp, detail: z.string().optional() })),
});

export const platformMails = defineOperation({
  operation: "platform-mails",
  summary: "List the mails of the platform itself, or send an unknown one again",
  description:
    "Shows what became of codes, links and notices, newest first, for 30 days. Their contents cannot be read by " +
    "anybody. With `resend`, a mail with the status unknown is sent again while it is of use: the person may then get " +
    "it twice.",
  input: z.strictObject({
    to: email.optional().describe("Only mails to this address."),
    kind: z.enum(platformMailKinds).optional(),
    status: z.enum(platformMailStatuses).optional(),
    limit: z.number().int().min(1).max(500).default(50),
    resend: id.optional().describe("The id of a mail to send again. The other inputs are then ignored."),
  }),
  output: z.object({ mails: z.array(platformMailEntry) }),
});
