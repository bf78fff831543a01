import { setTimeout as sleep } from "node:timers/promises";
import type { Call, Send } from "./http.ts";
import { type Organization, PASSWORD } from "./organization.ts";

/** One answered request of the ordinary traffic. */
export interface Sample {
  readonly kind: string;
  readonly milliseconds: number;
  /** The error, if any. */
  readonly failure: string | undefined;
}

interface Kind {
  /** Of a hundred requests. */
  readonly share: number;
  readonly status: number;
  call(of: Organization, turn: number): Call;
}

const anyLead = ({ leads }: Organization, turn: number): string => leads[turn % leads.length] ?? "";

const kinds: Readonly<Record<string, Kind>> = {
  "record get": {
    share: 26,
    status: 200,
    call: (of, turn) => ({ method: "GET", path: `/v1/object/lead/${anyLead(of, turn)}`, token: of.token }),
  },
  "record list": {
    share: 14,
    status: 200,
    call: ({ token }) => ({ method: "GET", path: "/v1/object/lead?limit=20", token }),
  },
  "record create": {
    share: 8,
    status: 201,
    call: ({ token }, turn) => ({
      method: "POST",
      path: "/v1/object/lead",
      body: { name: `New ${turn}`, status: "New" },
      token,
    }),
  },
  "record update": {
    share: 8,
    status: 200,
    call: (of, turn) => ({
      method: "PATCH",
      path: `/v1/object/lead/${anyLead(of, turn)}`,
      body: { amount: turn },
      token: of.token,
    }),
  },
  query: {
    share: 16,
    status: 200,
    call: ({ token }, turn) => ({
      method: "POST",
      path: "/v1/query",
      body: {
        query: `SELECT name, amount FROM lead WHERE status = 'New' AND amount > ${turn % 100} ORDER BY amount LIMIT 10`,
      },
      token,
    }),
  },
  pipeline: {
    share: 8,
    status: 200,
    call: ({ token }) => ({
      method: "POST",
      path: "/v1/query/docdb",
      body: {
        collection: "lead",
        pipeline: [{ $match: { status: "New" } }, { $group: { _id: "$status", total: { $sum: "$amount" } } }],
      },
      token,
    }),
  },
  heartbeat: {
    share: 8,
    status: 200,
    call: ({ token, user }) => ({
      method: "POST",
      path: "/v1/status/v1/user/status",
      body: { user, status: "online" },
      token,
    }),
  },
  presence: { share: 5, status: 200, call: ({ token }) => ({ method: "GET", path: "/v1/status/users", token }) },
  status: { share: 4, status: 200, call: () => ({ method: "GET", path: "/v1/status" }) },
  refresh: {
    share: 2,
    status: 200,
    call: ({ refreshToken }) => ({ method: "POST", path: "/v1/oauth2/refresh", body: { refresh_token: refreshToken } }),
  },
  "sign-in": {
    share: 1,
    status: 200,
    call: ({ email }) => ({
      method: "POST",
      path: "/v1/oauth2/login",
      form: { username: email, password: PASSWORD },
    }),
  },
};

/** The kinds of a hundred requests, in the same mix in every run. */
const mix: readonly string[] = Object.entries(kinds)
  .flatMap(([kind, { share }]) => Array.from({ length: share }, (_, index) => ({ kind, at: (index + 0.5) / share })))
  .sort((a, b) => a.at - b.at)
  .map(({ kind }) => kind);

interface Traffic {
  readonly send: Send;
  readonly organizations: readonly Organization[];
  readonly perSecond: number;
  readonly seconds: number;
}

let turn = 0;

/**
 * Sends at a fixed rate, whether or not earlier requests are answered, so that a slow moment delays all of its
 * requests. Resolves when every request is answered.
 */
export const runTraffic = async ({ send, organizations, perSecond, seconds }: Traffic): Promise<Sample[]> => {
  const samples: Sample[] = [];
  const one = async (): Promise<void> => {
    turn += 1;
    const name = mix[turn % mix.length] ?? "";
    const kind = kinds[name] as Kind;
    const of = organizations[turn % organizations.length] as Organization;
    const due = performance.now();
    const { status, text } = await send(kind.call(of, turn));
    const milliseconds = performance.now() - due;
    const failure = status === kind.status ? undefined : `${name} → ${status} ${text.slice(0, 200)}`;
    samples.push({ kind: name, milliseconds, failure });
    if (name === "record create" && failure === undefined) of.leads.push((JSON.parse(text) as { id: string }).id);
  };
  const running: Promise<void>[] = [];
  const start = performance.now();
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const wait = start + (sent * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(one());
  }
  await Promise.all(running);
  return samples;
};
