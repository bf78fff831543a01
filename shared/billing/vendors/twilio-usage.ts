import * as z from "zod";
import { Fault } from "#shared/foundation/faults";
import { outboundRequest } from "#shared/foundation/outbound/request";
import { vendorUnavailable } from "./unavailable.ts";

/** The account whose subaccounts are those of organizations. */
export const twilioAccount = z.object({
  account_sid: z.string().min(1),
  auth_token: z.string().min(1),
  base_url: z.url().default("https://api.twilio.com"),
  /** Category → the name of the event of the payment vendor's meter. Other categories are stored and not billed. */
  meters: z.record(z.string(), z.string().min(1).max(100)).default({
    "sms-inbound": "sms_inbound",
    "sms-outbound": "sms_outbound",
    "mms-inbound": "mms_inbound",
    "mms-outbound": "mms_outbound",
  }),
});

export type TwilioAccount = z.output<typeof twilioAccount>;

/** What an account has used on a day. */
export interface DailyUsage {
  readonly category: string;
  readonly quantity: number;
  readonly unit: string | null;
  readonly price: number | null;
  readonly currency: string | null;
}

/** The vendor gives numbers as texts. */
const amount = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(?:\.\d+)?$/)
    .transform(Number),
]);

/** https://www.twilio.com/docs/usage/api/usage-record */
const page = z.object({
  next_page_uri: z.string().nullish(),
  usage_records: z.array(
    z.object({
      category: z.string().min(1).max(100),
      start_date: z.string(),
      usage: amount.nullish(),
      usage_unit: z.string().nullish(),
      price: amount.nullish(),
      price_unit: z.string().nullish(),
    }),
  ),
});
type Page = z.output<typeof page>;

/** Of one request, in milliseconds. */
const PATIENCE_MS = 10_000;
const PAGE_SIZE = 500;
const MOST_PAGES = 20;

const unavailable = (cause: unknown, headers?: Readonly<Record<string, string>>): Fault =>
  vendorUnavailable("The SMS vendor does not answer.", cause, headers);

const read = async (account: TwilioAccount, path: string): Promise<Page> => {
  const login = Buffer.from(`${account.account_sid}:${account.auth_token}`).toString("base64");
  const reply = await outboundRequest({
    origin: new URL(account.base_url).origin,
    path,
    method: "GET",
    ownHeaders: { authorization: `Basic ${login}` },
    within: PATIENCE_MS,
  }).catch((error: unknown) => {
    throw error instanceof Fault && error.code === "integration_failed" ? unavailable(error) : error;
  });
  const { status } = reply;
  if (status === 429 || status >= 500) throw unavailable(new Error(`It answered ${status}.`), reply.headers);
  if (status === 404) throw new Fault("vendor_account_unknown");
  if (status !== 200) throw new Error(`The SMS vendor answered ${status}; see the platform's credentials.`);
  try {
    return page.parse(JSON.parse(reply.body.toString("utf8")));
  } catch (error) {
    throw unavailable(error);
  }
};

/** The vendor names the next page by a path of its own address, and nothing else. */
const nextOf = ({ next_page_uri: next }: Page): string | null => {
  if (next === null || next === undefined || next === "") return null;
  if (!next.startsWith("/2010-04-01/")) throw unavailable(new Error("The next page is somewhere else."));
  return next;
};

/**
 * The usage of an account on one day (UTC), a category once. Categories contain each other: `sms` is the sum of
 * `sms-inbound` and `sms-outbound`. Raises `vendor_unavailable` and `vendor_account_unknown`.
 */
export const dailyUsage = async (account: TwilioAccount, accountId: string, date: string): Promise<DailyUsage[]> => {
  const query = new URLSearchParams({ StartDate: date, EndDate: date, PageSize: String(PAGE_SIZE) });
  let path: string | null = `/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Usage/Records/Daily.json?${query}`;
  const found = new Map<string, DailyUsage>();
  for (let pages = 0; path !== null; pages += 1) {
    if (pages === MOST_PAGES) throw new Error("The SMS vendor has more usage records of a day than expected.");
    const read_: Page = await read(account, path);
    for (const { category, start_date, usage, usage_unit, price, price_unit } of read_.usage_records) {
      if (start_date !== date) throw unavailable(new Error(`A record is of ${start_date}, not of ${date}.`));
      found.set(category, {
        category,
        quantity: usage ?? 0,
        unit: usage_unit ?? null,
        price: price ?? null,
        currency: price_unit ?? null,
      });
    }
    path = nextOf(read_);
  }
  return [...found.values()].toSorted((a, b) => a.category.localeCompare(b.category));
};
