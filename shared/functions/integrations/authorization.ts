import * as z from "zod";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { Fault } from "#shared/foundation/faults";
import { isCredentialHeader, isHeaderText } from "#shared/foundation/outbound/headers";
import { outboundRequest } from "#shared/foundation/outbound/request";
import { copyKeyOf, type Tenant } from "#shared/tenant/tenant";
import type { Credential } from "./credential.ts";

/** What makes a request authorized, and what must not be shown of it. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

const refused = (message: string): Fault => new Fault("integration_refused", { message });
const text = z.string().min(1).max(8_000).refine(isHeaderText);

const bearer = z.union([text, z.object({ token: text }).transform(({ token }) => token)]);
const apiKey = z.union([
  text.transform((key) => ({ key, prefix: "", query: undefined })),
  z.object({ key: text, prefix: z.string().max(100).default(""), query: z.string().min(1).max(100).optional() }),
]);
const basic = z.object({ username: z.string().max(1_000), password: z.string().max(8_000) });
const clientCredentials = z.object({
  client_id: z.string().min(1).max(1_000),
  client_secret: z.string().min(1).max(8_000),
  token_url: z.string().min(1).max(2_000),
  scope: z.string().max(2_000).optional(),
});
const oauth2 = z.union([z.object({ access_token: text }), clientCredentials]);

const read = <S extends z.ZodType>(schema: S, { type, value }: Credential, expected: string): z.output<S> => {
  const parsed = schema.safeParse(value);
  // Without the issue, which may name parts of the value.
  if (!parsed.success) throw refused(`The value of a credential of the type ${type} must have: ${expected}.`);
  return parsed.data;
};

const bearerOf = (token: string): Authorization => ({
  headers: { authorization: `Bearer ${token}` },
  query: {},
  secrets: [token],
});

const keyOf = (credential: Credential): Authorization => {
  const { key, prefix, query } = read(apiKey, credential, "`key`, and perhaps `prefix` or `query`");
  if (query !== undefined) return { headers: {}, query: { [query]: key }, secrets: [key] };
  const name = (credential.header ?? "X-API-Key").toLowerCase();
  if (!isCredentialHeader(name)) throw refused("The header of the credential cannot be set.");
  return { headers: { [name]: `${prefix}${key}` }, query: {}, secrets: [key] };
};

const basicOf = (credential: Credential): Authorization => {
  const { username, password } = read(basic, credential, "`username` and `password`");
  const encoded = Buffer.from(`${username}:${password}`).toString("base64");
  return { headers: { authorization: `Basic ${encoded}` }, query: {}, secrets: [encoded, password] };
};

const tokenReply = z.object({
  access_token: text,
  token_type: z.string().refine((type) => type.toLowerCase() === "bearer"),
  expires_in: z.number().positive().default(300),
});

/** Access tokens of providers, for a while in memory. */
const tokens = boundedCache<{ readonly token: string; readonly until: number }>({ mostBytes: 1024 * 1024 });
const LONGEST_MS = 3_600_000;
/** A token is not used in its last seconds. */
const MARGIN_MS = 30_000;

/** RFC 6749 §4.4, with the client's secret in the header (§2.3.1). */
const requestToken = async (client: z.output<typeof clientCredentials>, within: number) => {
  const { client_id, client_secret, token_url, scope } = client;
  if (!URL.canParse(token_url)) throw refused("The token_url of the credential is not a URL.");
  const { origin, pathname, search } = new URL(token_url);
  const form = new URLSearchParams({ grant_type: "client_credentials", ...(scope && { scope }) });
  const secret = Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString(
    "base64",
  );
  const { status, body } = await outboundRequest({
    origin,
    path: `${pathname}${search}`,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    ownHeaders: { authorization: `Basic ${secret}` },
    body: Buffer.from(form.toString()),
    within,
  });
  const reply = tokenReply.safeParse(parsedJson(body));
  if (status === 200 && reply.success) return reply.data;
  throw new Fault("integration_failed", { message: `The provider gave no access token: it answered ${status}.` });
};

const parsedJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

const oauthOf = async (tenant: Tenant, credential: Credential, now: number, within: number): Promise<Authorization> => {
  const expected = "`access_token`, or `client_id`, `client_secret` and `token_url`";
  const value = read(oauth2, credential, expected);
  if ("access_token" in value) return bearerOf(value.access_token);
  const key = `${copyKeyOf(tenant)}/${credential.revision}`;
  const known = tokens.get(key);
  if (known !== undefined && known.until > now) return bearerOf(known.token);
  const { access_token: token, expires_in } = await requestToken(value, within);
  tokens.set(key, { token, until: now + Math.min(expires_in * 1000, LONGEST_MS) - MARGIN_MS });
  const { secrets, ...authorized } = bearerOf(token);
  return { ...authorized, secrets: [...secrets, value.client_secret] };
};

/** Forgets the access token of a credential, which the provider has refused. */
export const forgetToken = (tenant: Tenant, { revision }: Credential): void =>
  tokens.delete(`${copyKeyOf(tenant)}/${revision}`);

/** `now`, `within`: milliseconds. @throws Fault integration_refused, integration_failed */
export const authorizationOf = async (
  tenant: Tenant,
  credential: Credential,
  now: number,
  within: number,
): Promise<Authorization> => {
  switch (credential.type) {
    case "api_key":
      return keyOf(credential);
    case "basic":
      return basicOf(credential);
    case "oauth2":
      return oauthOf(tenant, credential, now, within);
    default:
      return bearerOf(read(bearer, credential, "`token`"));
  }
};
