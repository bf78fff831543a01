import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from "./controlled-vendor.ts";

/** What an account has used of a category on a day. */
export interface TwilioUsage {
  readonly account: string;
  readonly date: string;
  readonly category: string;
  /** As the vendor writes numbers: as texts. */
  readonly usage: string;
  readonly price?: string;
}

export interface TwilioLogin {
  readonly account_sid: string;
  readonly auth_token: string;
}

/** Smaller than asked for, so that there are several pages. */
const PAGE = 2;

const refused = (status: number, message: string): VendorReply => ({
  status,
  json: { code: 20_000 + status, message, status },
});

/** Twilio's daily usage records of subaccounts: https://www.twilio.com/docs/usage/api/usage-record */
export const startTwilioUsage = async ({ account_sid, auth_token }: TwilioLogin): Promise<VendorServer> => {
  const used = new Map<string, TwilioUsage>();
  const login = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString("base64")}`;
  let reads = 0;

  const answer = ({ method, path, query, headers }: VendorRequest): VendorReply => {
    const account = /^\/2010-04-01\/Accounts\/(AC\w+)\/Usage\/Records\/Daily\.json$/.exec(path)?.[1];
    if (method !== "GET" || account === undefined) return refused(404, "The requested resource was not found.");
    if (headers.authorization !== login) return refused(401, "Authenticate");
    const all = [...used.values()].filter((one) => one.account === account);
    if (all.length === 0) return refused(404, `The requested resource ${path} was not found.`);
    reads += 1;
    const start = query.get("StartDate") ?? "";
    const end = query.get("EndDate") ?? "";
    const found = all.filter(({ date }) => date >= start && date <= end);
    const page = Number(query.get("Page") ?? 0);
    const next = new URLSearchParams(query);
    next.set("Page", String(page + 1));
    const isLast = (page + 1) * PAGE >= found.length;
    return {
      status: 200,
      json: {
        page,
        page_size: PAGE,
        next_page_uri: isLast ? null : `${path}?${next}`,
        usage_records: found.slice(page * PAGE, (page + 1) * PAGE).map(({ date, category, usage, price = "0" }) => ({
          account_sid: account,
          category,
          start_date: date,
          end_date: date,
          count: usage,
          count_unit: "messages",
          usage,
          usage_unit: "messages",
          price,
          price_unit: "usd",
        })),
      },
    };
  };

  return startVendor({
    answer,
    controls: {
      used: (usages: readonly TwilioUsage[]) => {
        for (const one of usages) used.set(`${one.account}/${one.date}/${one.category}`, one);
      },
      forget: ({ account, date, category }: TwilioUsage) => void used.delete(`${account}/${date}/${category}`),
      reads: () => reads,
    },
  });
};
