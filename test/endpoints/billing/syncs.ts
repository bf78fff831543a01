import { expect } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import type { StoredMeterEvent } from "../../vendors/stripe.ts";
import { type Linked, link, patiently, stripe, twilio } from "./vendors.ts";

/** Midnight may pass during the tests, so they ask for days and not for yesterday. */
const began = Date.now();

/** `2026-01-31`, so many days before the one on which the tests began (UTC). */
export const dayBefore = (days: number, from = began): string =>
  new Date(from - days * 86_400_000).toISOString().slice(0, 10);

/** Syncs of usage by an operator of the platform. */
export const usageSyncs = ({ token }: Pick<User, "token">) => {
  const sync = (body?: object) => http.post("/v1/billing/sync-smsvendor-usage", { token, ...(body && { body }) });

  const runOf = async (id: string, query = "") =>
    (await http.get(`/v1/billing/usage-runs/${id}${query}`, { token, expect: 200 })).body;

  /** A run when it has ended. */
  const ended = async (id: string) => {
    await expect.poll(async () => (await runOf(id)).status, patiently).not.toBe("running");
    return runOf(id);
  };

  /** Begins a sync, and gives its run when it has ended. */
  const synced = async (body: object) => {
    const reply = await sync({ start_date: dayBefore(1), end_date: dayBefore(1), ...body });
    expect(reply.status).toBe(200);
    return ended(reply.body.run_id);
  };

  return { sync, runOf, ended, synced };
};

export const uses = ({ account }: Linked, date: string, used: Record<string, number>) =>
  twilio(
    "used",
    Object.entries(used).map(([category, usage]) => ({
      account,
      date,
      category,
      usage: String(usage),
      price: "0.0075",
    })),
  );

export const totals = ({ customer }: Linked) => stripe<Record<string, number>>("totals", customer);
export const eventsOf = ({ customer }: Linked) => stripe<StoredMeterEvent[]>("events", customer);

export const linked = async () => {
  const user = await registerOrganization();
  return { user, ids: [user.organizationId], ...(await link(user)) };
};
