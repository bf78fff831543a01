import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hold } from "../setup/database-proxy.ts";
import { type SendGrid, startSendGrid } from "../vendors/sendgrid.ts";
import { vapidKeys, webPushServer } from "../vendors/web-push.ts";
import { type Organization, register, save } from "./killed/organization.ts";
import { type KillablePlatform, launchKillable, step } from "./killed/platform.ts";

let platform: KillablePlatform;
let vendor: SendGrid;
let browsers: Awaited<ReturnType<typeof webPushServer>>;
const vapid = vapidKeys();

/** What a killed worker has left: notifications, and emails of them. */
type Left = readonly [notifications: number, emails: number];

interface Step {
  readonly queue: string;
  readonly at: string;
  readonly hold: (id: string) => Hold;
  readonly left: Left;
  /** What became of the entry of the worker. Begun work is never begun again. */
  readonly failures: readonly string[];
}

/** The steps of a worker whose transaction writes records of `object`, one for each organization. */
const stepsOf = (queue: string, object: string, before: Left, after: Left): Step[] => [
  {
    queue,
    at: "before its transaction",
    hold: (id) => step.command("before", id, "insert", object),
    left: before,
    failures: [],
  },
  {
    queue,
    at: "before the commit",
    hold: (id) => step.commit("before", id, "insert", object),
    left: before,
    failures: [],
  },
  {
    queue,
    at: "after the commit",
    hold: (id) => step.commit("after", id, "insert", object),
    left: after,
    failures: ["interrupted"],
  },
  {
    queue,
    at: "before it completes its entry",
    hold: (id) => platform.completes("before", id, queue),
    left: [2, 2],
    failures: ["interrupted"],
  },
  {
    queue,
    at: "before the acknowledgement",
    hold: (id) => platform.completes("after", id, queue),
    left: [2, 2],
    failures: [],
  },
];

const steps = [
  ...stepsOf("notify-setting", "notification", [0, 0], [2, 0]),
  // Texts are made for each recipient, so each has a message: the other one's has been handled.
  ...stepsOf("deliver-notification", "email_message", [2, 1], [2, 2]),
];

interface Told extends Organization {
  readonly member: { readonly id: string; readonly email: string };
  /** The path of the owner's browser at the push service. */
  readonly browser: string;
  readonly entry: string;
}

const killed = new Map<Step, Told & { readonly left: Left }>();

const count = (id: string, collection: string, filter: object = {}): Promise<number> =>
  platform.collection(id, collection).countDocuments(filter);

/** Lets mail leave from the domain of the owner's address, as if DNS had proven it. */
const holdDomain = async ({ id, email }: Organization): Promise<void> => {
  const domain = email.split("@")[1] ?? "";
  const at = new Date();
  await platform.collection("base", "sender_domain").insertOne({
    _id: `${id} ${domain}`,
    organization_id: id,
    domain,
    token: "proven",
    created_date: at,
    verified_date: at,
  });
  await platform.collection("base", "domain_holder").insertOne({ _id: domain, organization_id: id, since: at });
};

/** Fires a setting of a new organization with two recipients, and waits until the worker is at the step. */
const tellUntil = async ({ queue, hold }: Step): Promise<Told> => {
  const organization = await register(platform);
  const { id, token } = organization;
  await holdDomain(organization);
  const email = { name: "mail", kind: "emailvendor", provider: "sendgrid", base_url: vendor.origin };
  await save(platform, organization, "auth_credential", { ...email, value: { api_key: vendor.apiKey } });
  const push = { name: "push", kind: "pushvendor", provider: "webpush", base_url: browsers.url };
  await save(platform, organization, "auth_credential", { ...push, value: vapid });
  const subscription = browsers.subscribe();
  await platform.http().post("/v1/notifications/set-token", { token, body: subscription, expect: 200 });
  const member = `member-${randomUUID()}@example.test`;
  const person = { email: member, name: "Mia Member", password: "correct horse battery staple" };
  await platform.invoke("create-user", { organization_id: id, ...person });
  const { _id: memberId = "" } = (await platform.collection(id, "user").findOne({ email: member })) ?? {};
  const setting = await save(platform, organization, "notification_setting", {
    name: "Order came",
    channels: ["in_app", "email", "push"],
    recipients: { users: [organization.user, memberId] },
  });
  // A transaction that makes a collection would hold up the worker of the other recipient.
  for (const object of ["email_message", "push_message"])
    await platform.collection(id, object).createIndex({ status: 1 });
  const fire = () => platform.http().post("/v1/notifications", { token, body: [{ id: setting }], expect: 202 });
  return {
    ...organization,
    member: { id: memberId, email: member },
    browser: new URL(subscription.endpoint).pathname,
    entry: await platform.heldAt(hold(id), id, queue, fire),
  };
};

beforeAll(async () => {
  [platform, vendor, browsers] = await Promise.all([launchKillable(), startSendGrid(), webPushServer(vapid)]);
  const told = [];
  for (const one of steps) told.push({ one, organization: await tellUntil(one) });
  await platform.kill();
  for (const { one, organization } of told) {
    const left: Left = [await count(organization.id, "notification"), await count(organization.id, "email_message")];
    killed.set(one, { ...organization, left });
  }
  const ids = told.map(({ organization }) => organization.id);
  await platform.restart(ids);
  for (const [{ queue }, { id, entry }] of killed) await platform.deliver(queue, id, entry);
  await platform.quiet(ids);
});
afterAll(async () => {
  await platform?.stop();
  await Promise.all([vendor?.stop(), browsers?.close()]);
});

test.each(steps)("recipients whose worker of $queue was killed $at are told once, over each channel", async (one) => {
  const organization = killed.get(one);
  if (organization === undefined) throw new Error("It was not killed.");
  expect(organization.left).toEqual(one.left);
  const { id, user, email, member, browser } = organization;
  const notifications = await platform.collection(id, "notification").find().toArray();
  const channels = notifications.map(({ user: told, deliveries }) => [
    told.id,
    deliveries.map(({ channel, status }: { channel: string; status: string }) => `${channel} ${status}`).toSorted(),
  ]);
  expect(Object.fromEntries(channels)).toEqual({
    [user]: ["email accepted", "in_app sent", "push accepted"],
    [member.id]: ["email accepted", "in_app sent", "push skipped"],
  });
  expect(notifications).toHaveLength(2);
  for (const [object, number] of [
    ["email_message", 2],
    ["push_message", 1],
  ] as const) {
    const messages = await platform.collection(id, object).find().toArray();
    expect(messages.map(({ status }) => status)).toEqual(Array.from({ length: number }, () => "sent"));
  }
  const addressed = vendor.accepted.map(({ body }) => body.personalizations[0].to[0].email);
  for (const address of [email, member.email]) expect(addressed.filter((to) => to === address)).toHaveLength(1);
  expect(browsers.received.filter(({ path }) => path === browser)).toHaveLength(1);
  const entries = await platform.collection(id, "_outbox").find().toArray();
  expect(entries.map(({ failure }) => failure.code)).toEqual(one.failures);
});
