import { afterAll, beforeAll, expect, test } from "vitest";
import type { Command, Hold } from "../setup/database-proxy.ts";
import { readMails } from "../setup/mailbox.ts";
import { type Organization, register } from "./killed/organization.ts";
import { isIn, type KillablePlatform, launchKillable, step } from "./killed/platform.ts";

const QUEUE = "platform-mail";

let platform: KillablePlatform;

/** The update of a mail's record to this status. */
const becomes = (when: Hold["when"], status: string): Hold => {
  const isUpdate = isIn("base", "update", "platform_mail");
  return { when, is: (command: Command) => isUpdate(command) && command.body.updates[0].u.$set?.status === status };
};

interface Step {
  readonly at: string;
  readonly hold: () => Hold;
  /** The number of mails that SES has got when the worker is killed. */
  readonly accepted: number;
  /** What becomes of the mail, and how many mails SES has got in the end. */
  readonly status: "sent" | "unknown";
  readonly inTheEnd: number;
}

const steps: readonly Step[] = [
  { at: "before the claim", hold: () => becomes("before", "sending"), accepted: 0, status: "sent", inTheEnd: 1 },
  {
    at: "between the claim and the call",
    hold: () => becomes("after", "sending"),
    accepted: 0,
    status: "unknown",
    inTheEnd: 0,
  },
  {
    at: "after SES has accepted it",
    hold: () => becomes("before", "sent"),
    accepted: 1,
    status: "unknown",
    inTheEnd: 1,
  },
  {
    at: "before its contents are erased",
    hold: () => becomes("after", "sent"),
    accepted: 1,
    status: "sent",
    inTheEnd: 1,
  },
  {
    at: "after its contents are erased",
    hold: () => step.command("after", "base", "delete", "platform_mail_body"),
    accepted: 1,
    status: "sent",
    inTheEnd: 1,
  },
  {
    at: "before the acknowledgement",
    hold: () => platform.completes("after", "base", QUEUE),
    accepted: 1,
    status: "sent",
    inTheEnd: 1,
  },
];

interface ListedMail {
  readonly id: string;
  readonly status: string;
  readonly events: readonly { readonly type: string; readonly detail?: string }[];
}

const killed = new Map<Step, Organization & { readonly accepted: number }>();

const mailsTo = ({ email }: Organization) => readMails(platform.access().mailDirectory, email);
const recordOf = ({ email }: Organization) => platform.collection("base", "platform_mail").findOne({ to: email });
const bodiesOf = async (organization: Organization): Promise<number> =>
  platform.collection("base", "platform_mail_body").countDocuments({ _id: (await recordOf(organization))?._id ?? "" });
const listed = async (search: object): Promise<ListedMail[]> =>
  (await platform.invoke<{ mails: ListedMail[] }>("platform-mails", search)).mails;
const killedAt = (one: Step): Organization & { readonly accepted: number } => {
  const organization = killed.get(one);
  if (organization === undefined) throw new Error("It was not killed.");
  return organization;
};

beforeAll(async () => {
  platform = await launchKillable();
  const begun: { one: Step; organization: Organization; entry: string }[] = [];
  for (const one of steps) {
    const held = platform.held(one.hold());
    // The new owner is mailed a link that confirms the address.
    const organization = await register(platform);
    const { body } = await held;
    const payload = JSON.stringify({ mail: (await recordOf(organization))?._id });
    const entry = await platform.collection("base", "_outbox").findOne({ queue: QUEUE, payload });
    begun.push({ one, organization, entry: entry?._id ?? body.deletes[0].q._id });
  }
  await platform.kill();
  for (const { one, organization } of begun)
    killed.set(one, { ...organization, accepted: mailsTo(organization).length });
  await platform.restart(["base"]);
  for (const { entry } of begun) await platform.deliver(QUEUE, "base", entry);
  await platform.quiet(["base"]);
});
afterAll(() => platform?.stop());

test.each(steps)("a mail whose worker was killed $at is sent at most once, and is $status", async (one) => {
  const organization = killedAt(one);
  expect(organization.accepted).toBe(one.accepted);
  expect(mailsTo(organization)).toHaveLength(one.inTheEnd);
  const [mail, ...others] = await listed({ to: organization.email });
  expect([mail?.status, others]).toEqual([one.status, []]);
  // Kept sealed, to be sent again by an operator.
  expect(await bodiesOf(organization)).toBe(one.status === "unknown" ? 1 : 0);
});

const unknown = steps.filter(({ status }) => status === "unknown");

test("operators are told of the mails of which nobody knows whether they were sent, without address and contents", async () => {
  const mails = await Promise.all(unknown.map((one) => recordOf(killedAt(one))));
  const ids = mails.map((mail) => mail?._id).toSorted();
  expect((await listed({ status: "unknown" })).map(({ id }) => id).toSorted()).toEqual(ids);
  const lines = platform.logs(QUEUE);
  const alarms = lines.filter((line) => line.includes('"alarm":"platform-mail-failed"'));
  expect(alarms.map((line) => JSON.parse(line).mail).toSorted()).toEqual(ids);
  const bodies = await platform.collection("base", "platform_mail_body").find().toArray();
  const read = JSON.stringify([lines, bodies, await listed({})]);
  for (const secret of ["Your token is", "tec_"]) expect(read).not.toContain(secret);
  for (const one of unknown) expect(lines.join("\n")).not.toContain(killedAt(one).email);
  // MongoDB erases them when the mail is of no use any more.
  expect(bodies.map(({ _id, expires_at }) => [_id, expires_at]).toSorted()).toEqual(
    mails.map((mail) => [mail?._id, mail?.valid_until]).toSorted(),
  );
});

test("a mail that SES had accepted when its worker was killed is sent again by an operator alone, and then erased", async () => {
  const organization = killedAt(steps.find(({ at }) => at === "after SES has accepted it") as Step);
  const resend = (await recordOf(organization))?._id;
  expect((await listed({ resend })).map(({ status }) => status)).toEqual(["queued"]);
  await platform.quiet(["base"]);
  expect((await listed({ to: organization.email })).map(({ status }) => status)).toEqual(["sent"]);
  await expect(listed({ resend })).rejects.toThrow("conflict");
  await expect(listed({ resend: "none" })).rejects.toThrow("message_not_found");
  expect(mailsTo(organization)).toHaveLength(2);
  expect(await bodiesOf(organization)).toBe(0);
});
