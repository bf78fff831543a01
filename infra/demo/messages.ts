import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import type { DemoClient, DemoReply } from "./client.ts";
import type { Step } from "./tour.ts";
import type { DemoVendors } from "./vendors.ts";

interface MessagesTour {
  readonly play: (step: Step) => Promise<DemoReply>;
  /** For requests that are no steps. */
  readonly call: DemoClient;
  readonly vendors: DemoVendors;
  /** Access tokens. */
  readonly owner: string;
  readonly member: string;
  /** Of an operator of the platform. */
  readonly root: string;
}

const record = z.object({ id: z.string() });
const message = z.object({ id: z.string(), status: z.string() });
const accepted = z.object({ ids: z.array(z.string()) });
const rows = z.object({ records: z.array(z.looseObject({ id: z.string() })) });

const EMAIL = "/v1/email-services/emailvendor";
const DOMAIN = "acme-bikes.com";

const offer = {
  name: "Offer",
  kind: "email",
  subject: "Your offer, {{ lead.name }}",
  html:
    "<style>h1 { color: #0a5 }</style><h1>Hello {{ lead.name }}</h1><p>{{ lead.bikes | size }} bikes for " +
    "{{ lead.amount }} €:</p><ul>{% for bike in lead.bikes %}<li>{{ bike }}</li>{% endfor %}</ul>",
};
const lead = { name: "Grace <Hopper>", amount: 4_200, bikes: ["Ada 3", "Enigma XL"] };

/** The end of the patience with what is done in the background. */
const PATIENCE_MS = 60_000;

const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !(await isDone()); ) await setTimeout(100);
};

const organizationOf = (token: string): string =>
  z.object({ org: z.string() }).parse(JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")))
    .org;

/** The part of the tour that sends messages, and gets what comes back. */
export const sendMessages = async ({ play, call, vendors, owner, member, root }: MessagesTour): Promise<void> => {
  const post = (title: string, path: string, body: unknown, status: number, rest: Partial<Step> = {}) =>
    play({ title, method: "POST", path, body, token: owner, status, ...rest });
  const query = (q: string): string => `/v1/query?${new URLSearchParams({ q })}`;

  const template = record.parse((await post("A template of an email", "/v1/object/template", offer, 201)).body).id;
  await post(
    "How it will look: HTML is escaped, and the style is where mail programs want it",
    "/v1/email-services/preview-template",
    { template_id: template, data: { lead } },
    200,
    {
      expected: z.object({
        subject: z.literal("Your offer, Grace <Hopper>"),
        html: z.string().includes("Grace &lt;Hopper&gt;"),
      }),
    },
  );
  const email = {
    to_emails: ["grace@navy.example"],
    from_email: `sales@${DOMAIN}`,
    template_id: template,
    merge_data: { lead },
  };
  const captured = await post("Send it: without a vendor it is kept, and does not leave", `${EMAIL}/send`, email, 200, {
    expected: z.object({ status: z.literal("captured") }),
  });
  const kept = message.parse(captured.body).id;
  await post("Look at it", `${EMAIL}/messages/${kept}`, undefined, 200);

  const credential = {
    name: "Our email vendor",
    kind: "emailvendor",
    provider: "sendgrid",
    base_url: vendors.origin,
    value: { api_key: "SG.demo", webhook_secret: vendors.webhookSecret },
  };
  await post("Connect a vendor: nobody reads its key again", "/v1/object/auth_credential", credential, 201);
  const domain = await post("Whose is the sender's domain?", "/v1/email-services/domains", { domain: DOMAIN }, 201);
  const proof = z.object({ record: z.object({ name: z.string(), value: z.string() }) }).parse(domain.body).record;
  vendors.setText(proof.name, proof.value);
  const verified = z.object({ status: z.literal("verified") });
  await post("The DNS says: ours", `/v1/email-services/domains/${DOMAIN}/verify`, undefined, 200, {
    expected: verified,
  });
  const sending = message.parse((await post("Send it again", `${EMAIL}/send`, email, 200)).body).id;
  const show = (token = owner) => call("POST", `${EMAIL}/messages/${sending}`, { token });
  const hasStatus = async (status: string) => message.parse((await show()).body).status === status;
  await until(() => hasStatus("sent"));

  const webhook = `${EMAIL}/webhook/${organizationOf(owner)}`;
  const delivered = [
    {
      event: "delivered",
      email: "grace@navy.example",
      tenantry_id: sending,
      sg_event_id: randomUUID(),
      timestamp: Math.floor(Date.now() / 1000),
    },
  ];
  const event = vendors.sign(JSON.stringify(delivered), "application/json");
  await play({
    title: "Anyone could tell us that it arrived …",
    method: "POST",
    path: webhook,
    raw: { ...event, headers: { ...event.headers, "webhook-signature": "v1,Zm9yZ2Vk" } },
    status: 401,
  });
  await play({ title: "… the vendor signs it", method: "POST", path: webhook, raw: event, status: 202 });
  await until(() => hasStatus("delivered"));
  await play({
    title: "It was delivered",
    method: "POST",
    path: `${EMAIL}/messages/${sending}`,
    token: owner,
    status: 200,
    expected: z.object({ status: z.literal("delivered") }),
  });

  const reply = [
    "From: Grace Hopper <grace@navy.example>",
    `To: sales@${DOMAIN}`,
    "Subject: Re: Your offer",
    `Message-ID: <${randomUUID()}@navy.example>`,
    "Content-Type: text/html; charset=utf-8",
    "",
    "<p>Both, please!</p><script>alert('no')</script>",
    "",
  ].join("\r\n");
  await play({
    title: "Grace answers",
    method: "POST",
    path: webhook,
    raw: vendors.sign(reply, "message/rfc822"),
    status: 202,
  });
  const inbound = query(
    "SELECT id, subject, from_email, body, related_to FROM email_message WHERE direction = 'inbound'",
  );
  const arrived = async () => rows.parse((await call("GET", inbound, { token: owner })).body).records.length > 0;
  await until(arrived);
  await play({
    title: "Her mail is a record of its own, without the script, and linked to the lead with her address",
    method: "GET",
    path: inbound,
    token: owner,
    status: 200,
    expected: z.object({ records: z.tuple([z.object({ body: z.string().regex(/^(?!.*<script).*Both, please/s) })]) }),
  });

  const marco = z.object({ user: record }).parse((await call("GET", "/v1/auth/load", { token: member })).body).user.id;
  const told = { title: "Grace wants both bikes", body: "Call her.", user_id: marco, data: { url: "/leads" } };
  const notified = await post("Tell Marco", "/v1/notifications/dynamic", told, 202, { expected: accepted });
  const [notification = ""] = accepted.parse(notified.body).ids;
  const bell = "/v1/notifications?unread=true";
  await until(async () => JSON.stringify((await call("GET", bell, { token: member })).body).includes(notification));
  await play({ title: "Marco sees it", method: "GET", path: bell, token: member, status: 200 });
  const once = z.object({ updated: z.literal(1) });
  await post("… and has read it", "/v1/notifications/mark-read", [notification], 200, {
    expected: once,
    token: member,
  });

  const sync = "/v1/billing/sync-smsvendor-usage";
  await post("Marco may not sync what vendors count", sync, {}, 403, { token: member });
  const started = await post("The operator may: yesterday's usage of all organizations", sync, {}, 200, {
    expected: z.object({ run_id: z.string() }),
    token: root,
  });
  const { run_id } = z.object({ run_id: z.string() }).parse(started.body);
  await play({
    title: "How it went, by organization",
    method: "GET",
    path: `/v1/billing/usage-runs/${run_id}`,
    token: root,
    status: 200,
  });
};
