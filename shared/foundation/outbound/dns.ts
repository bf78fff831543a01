import { Resolver } from "node:dns/promises";
import { env } from "../env.ts";

/** The DNS has said that there is nothing, or nobody can tell at the moment. */
export type DnsAnswer<T> = { readonly found: readonly T[] } | { readonly found: null };

export interface MailExchange {
  readonly exchange: string;
  readonly priority: number;
}

/** The name does not exist, or has no record of that type. All other errors leave it open. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA"]);

const MOST_TRIES = 2;

/** Asks within so many milliseconds. `found: null`: there was no answer. */
const ask = async <T>(
  within: number,
  question: (resolver: Resolver) => Promise<readonly T[]>,
): Promise<DnsAnswer<T>> => {
  const resolver = new Resolver({ timeout: Math.ceil(within / MOST_TRIES), tries: MOST_TRIES });
  const servers = env.dnsServers();
  if (servers.length > 0) resolver.setServers(servers);
  // c-ares may take longer than its time-outs, with several servers.
  const timer = setTimeout(() => resolver.cancel(), within);
  try {
    return { found: await question(resolver) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return { found: ABSENT.has(code) ? [] : null };
  } finally {
    clearTimeout(timer);
  }
};

/** The TXT records of a name, each with its parts joined. */
export const textRecords = (name: string, within: number): Promise<DnsAnswer<string>> =>
  ask(within, async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join("")));

export const mailExchanges = (name: string, within: number): Promise<DnsAnswer<MailExchange>> =>
  ask(within, (resolver) => resolver.resolveMx(name));

/** Whether the name has an address, of IPv4 or IPv6. */
export const hostAddresses = async (name: string, within: number): Promise<DnsAnswer<string>> => {
  const both = await Promise.all([
    ask(within, (resolver) => resolver.resolve4(name)),
    ask(within, (resolver) => resolver.resolve6(name)),
  ]);
  const found = both.flatMap((answer) => answer.found ?? []);
  return found.length === 0 && both.some((answer) => answer.found === null) ? { found: null } : { found };
};
