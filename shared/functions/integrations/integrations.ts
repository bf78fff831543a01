import { isUtf8 } from "node:buffer";
import { elapsedMillis, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type Redaction, redactionOf } from "#shared/foundation/outbound/redact";
import { methods, type OutboundReply, outboundLimits, outboundRequest } from "#shared/foundation/outbound/request";
import type { Tenant } from "#shared/tenant/tenant";
import { authorizationOf, forgetToken } from "./authorization.ts";
import { credentialOf } from "./credential.ts";

type Scalar = string | number | boolean | null;

interface IntegrationOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Of the query. Null ones are left out. */
  readonly params?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  /** From an allow-list. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly within?: number;
}

interface IntegrationReply {
  readonly status: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, if it is JSON. */
  readonly json: unknown;
  /** The body, if it is text. */
  readonly text: string | null;
  /** The body in base64, if it is not text. */
  readonly base64: string | null;
}

type Method = (typeof methods)[number];

const isMethod = (method: string): method is Method => methods.some((known) => known === method);

const queryOf = (params: IntegrationOptions["params"] = {}): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const all: readonly Scalar[] = Array.isArray(value) ? value : [value as Scalar];
      return [name, all.filter((one) => one !== null).map(String)];
    }),
  );

const replyOf = ({ status, headers, body }: OutboundReply, redaction: Redaction): IntegrationReply => {
  const shown = Object.entries(headers).map(([name, value]) => [name, redaction.text(value)]);
  const reply = { status, ok: status >= 200 && status < 300, headers: Object.fromEntries(shown), json: null };
  if (isUtf8(body)) {
    const text = redaction.text(body.toString("utf8"));
    const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers["content-type"] ?? "");
    return { ...reply, json: isJson ? parsedJson(text) : null, text, base64: null };
  }
  if (redaction.finds(body)) {
    throw new Fault("integration_failed", { message: "The reply has the credential in it, and is not shown." });
  }
  return { ...reply, text: null, base64: body.toString("base64") };
};

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const withoutSecrets = (error: unknown, redaction: Redaction): unknown =>
  error instanceof Fault ? new Fault(error.code, { message: redaction.text(error.message) }) : error;

/**
 * One request to a provider, with the organization's credential, which the code never sees: the origin is that of the
 * credential, its secrets are removed from replies and errors.
 * @throws Fault integration_not_found, integration_refused, integration_failed, forbidden, dependency_unavailable
 */
export const integrationRequest = async (
  tenant: Tenant,
  provider: string,
  method: string,
  path: string,
  { json, params, headers = {}, within = outboundLimits.time }: IntegrationOptions = {},
): Promise<IntegrationReply> => {
  const verb = method.toUpperCase();
  if (!isMethod(verb)) {
    throw new Fault("integration_refused", { message: `The method must be one of ${methods.join(", ")}.` });
  }
  const end = elapsedMillis() + within;
  const credential = await credentialOf(tenant, provider);
  const { secrets, ...own } = await authorizationOf(tenant, credential, nowMillis(), end - elapsedMillis());
  const redaction = redactionOf(secrets);
  try {
    const reply = await outboundRequest({
      origin: credential.origin,
      path,
      method: verb,
      query: queryOf(params),
      headers: { ...(json !== undefined && { "content-type": "application/json" }), ...headers },
      ownHeaders: own.headers,
      ownQuery: own.query,
      ...(json !== undefined && { body: Buffer.from(JSON.stringify(json)) }),
      within: end - elapsedMillis(),
    });
    if (reply.status === 401) forgetToken(tenant, credential);
    return replyOf(reply, redaction);
  } catch (error) {
    throw withoutSecrets(error, redaction);
  }
};
