import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import type { DemoClient, DemoReply, DemoRequest } from "./client.ts";
import { companies, contacts, DEMO_PASSWORD, type DemoRecord, demoUsers, invoices, leads } from "./data.ts";
import type { ReadMailbox } from "./mailbox.ts";

/** Invokes an operators' function. Raises an error if it fails. */
export type InvokeOperation = (operation: string, payload: unknown) => Promise<unknown>;

const token = z.object({ access_token: z.string() });
const loaded = z.object({ user: z.object({ organization_id: z.string(), email_confirmed: z.boolean() }) });
const created = z.array(z.object({ id: z.string() }));

const expectStatus = (reply: DemoReply, ...statuses: number[]): DemoReply => {
  if (statuses.includes(reply.status)) return reply;
  throw new Error(`The demo data could not be written: ${reply.status} ${JSON.stringify(reply.body)}`);
};

const load = async (call: DemoClient, as: string) =>
  loaded.parse((await call("GET", "/v1/auth/load", { token: as })).body).user;

const inFlight = z.object({ code: z.literal("idempotency_in_flight") });

/** The lease of a request whose process was killed ends within a minute. */
const PATIENCE_MS = 90_000;

/** Sends a request with a key again while the request of an interrupted start counts as running. */
const sendKeyed = async (send: () => Promise<DemoReply>): Promise<DemoReply> => {
  for (const end = Date.now() + PATIENCE_MS; ; await setTimeout(1_000)) {
    const reply = await send();
    if (!inFlight.safeParse(reply.body).success || Date.now() >= end) return reply;
  }
};

/** Registers the organization, or signs in if an interrupted start has registered it already. */
const enter = async (
  call: DemoClient,
  organization: string,
  user: { email: string; name: string },
): Promise<string> => {
  const [first_name, last_name] = user.name.split(" ");
  const body = { organization_name: organization, email: user.email, password: DEMO_PASSWORD, first_name, last_name };
  const registered = expectStatus(await call("POST", "/v1/register", { body }), 201, 409);
  if (registered.status === 201) return token.parse(registered.body).access_token;
  const form = { username: user.email, password: DEMO_PASSWORD };
  return token.parse(expectStatus(await call("POST", "/v1/oauth2/login", { form }), 200).body).access_token;
};

/** Longer than a mail takes on a busy machine. */
const MAIL_MS = 20_000;

/** With the mail of the registration, or with another one if that start was interrupted before it was queued. */
const confirmEmail = async (call: DemoClient, as: string, email: string, mailed: ReadMailbox): Promise<void> => {
  if ((await load(call, as)).email_confirmed) return;
  let confirmation = await mailed(email, MAIL_MS);
  if (confirmation === undefined) {
    expectStatus(await call("POST", "/v1/auth/email/confirmation", { token: as }), 202);
    confirmation = await mailed(email, MAIL_MS);
  }
  const body = { token: confirmation, password: DEMO_PASSWORD };
  expectStatus(await call("POST", "/v1/auth/email/confirm", { body }), 204);
};

/**
 * Fills a new platform with the demo organization through the HTTP API. Repeatable: idempotency keys prevent duplicate
 * batches after an interruption.
 */
export const seedDemo = async (call: DemoClient, invoke: InvokeOperation, mailed: ReadMailbox): Promise<void> => {
  const owner = await enter(call, "Acme", demoUsers.owner);
  const create = async (object: string, records: readonly DemoRecord[]): Promise<string[]> => {
    const request: DemoRequest = { token: owner, body: records, idempotencyKey: `demo-${object}` };
    const reply = expectStatus(await sendKeyed(() => call("POST", `/v1/object/${object}`, request)), 201);
    return created.parse(reply.body).map(({ id }) => id);
  };
  const people = async (): Promise<void> => {
    await confirmEmail(call, owner, demoUsers.owner.email, mailed);
    const acme = (await load(call, owner)).organization_id;
    await invoke("create-user", { organization_id: acme, ...namedUser(demoUsers.member) });
    await invoke("create-user", { organization_id: acme, ...namedUser(demoUsers.twoFactor), two_factor: "email" });
    const root = await enter(call, "Tenantry Operations", demoUsers.root);
    await confirmEmail(call, root, demoUsers.root.email, mailed);
    await invoke("grant-superuser", { email: demoUsers.root.email, granted: true });
  };
  const business = async (): Promise<void> => {
    const companyIds = await create("company", companies);
    const [contactIds] = await Promise.all([
      create("contact", contacts(companyIds)),
      create("lead", leads(companyIds)),
    ]);
    await create("invoice", invoices(companyIds, contactIds));
  };
  await Promise.all([people(), business()]);
};

const namedUser = ({ email, name }: { email: string; name: string }): Record<string, string> => ({
  email,
  name,
  password: DEMO_PASSWORD,
});
