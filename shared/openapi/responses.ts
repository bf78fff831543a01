import { errorBody, httpValidationError } from "#contracts/common";
import { type Contract, declaredFaults, type ReplyContract } from "#contracts/contract";
import { type FaultCode, faultTable } from "#contracts/fault-table";
import { commonHeaders } from "#shared/lambda/http/common-headers";
import type { Example, Header, JsonSchema, Response } from "./document.ts";
import type { Components } from "./schemas.ts";

const text = (description: string): Header => ({ description, schema: { type: "string" } });

const COMMON: Readonly<Record<string, Header>> = Object.fromEntries(
  Object.entries(commonHeaders).map(([name, description]) => [name, text(description)]),
);

const REPLAYED: Readonly<Record<string, Header>> = {
  "Idempotency-Replayed": text(
    "`true` if an earlier request with the same `Idempotency-Key` took effect, and this one did not.",
  ),
};

const CHALLENGE = text("How to authenticate (RFC 6750 §3), and why the token was refused.");

const RETRY_AFTER: Header = {
  description: "Seconds to wait before trying again.",
  schema: { type: "integer", minimum: 0, examples: [5] },
};

const REQUEST_ID = "5f0c1c0e-8f3e-4f43-9a53-1f0a3c2d7b11";

/** API Gateway's own reply when it throttles. Its body cannot be changed. */
const THROTTLED: JsonSchema = {
  type: "object",
  description: "The reply of the API gateway, before the platform sees the request.",
  properties: { message: { type: "string" } },
  required: ["message"],
};

const THROTTLED_EXAMPLE: Example = {
  summary: "The whole platform gets too many requests.",
  value: { message: "Too Many Requests" },
};

const success = (contract: Contract, declared: ReplyContract, { describe }: Components): Response => {
  const named = Object.entries(declared.headers ?? {}).map(([name, description]) => [name, text(description)] as const);
  const headers = { ...COMMON, ...Object.fromEntries(named), ...(contract.idempotent ? REPLAYED : {}) };
  const { body, bytes, contentType = "application/json", alternatives = {} } = declared;
  const others = Object.entries(alternatives).map(([type, description]) => {
    return [type, { schema: { type: "string", description } }] as const;
  });
  return {
    description: declared.description,
    headers,
    ...(body
      ? { content: { [contentType]: { schema: describe(body, "output") }, ...Object.fromEntries(others) } }
      : {}),
    ...(bytes ? { content: { [contentType]: { schema: { type: "string" } } } } : {}),
  };
};

const faultExample = (code: FaultCode): Example => {
  const { message } = faultTable[code];
  if (code !== "validation_failed")
    return { summary: message, value: { detail: message, code, request_id: REQUEST_ID } };
  const detail = [{ loc: ["body", "name"], msg: "This value is required.", type: "missing" }];
  return { summary: message, value: { detail, code, request_id: REQUEST_ID } };
};

const faultHeaders = (status: number, codes: readonly FaultCode[]): Record<string, Header> => ({
  ...(codes.length > 0 ? COMMON : {}),
  ...(codes.includes("unauthenticated") ? { "WWW-Authenticate": CHALLENGE } : {}),
  ...(status === 429 || status === 503 || codes.includes("idempotency_in_flight")
    ? { "Retry-After": RETRY_AFTER }
    : {}),
});

const faultSchema = (status: number, codes: readonly FaultCode[], { describe }: Components): JsonSchema => {
  if (status === 422) return describe(httpValidationError, "output");
  const ours = { allOf: [describe(errorBody, "output"), { type: "object", properties: { code: { enum: codes } } }] };
  if (status !== 429) return ours;
  return codes.length > 0 ? { anyOf: [ours, THROTTLED] } : THROTTLED;
};

/** The error pages for browsers. */
const pageResponse = (status: number, codes: readonly FaultCode[]): Response => ({
  description: codes.map((code) => faultTable[code].message).join(" · "),
  headers: faultHeaders(status, codes),
  content: { "text/html; charset=utf-8": { schema: { type: "string", description: "An error page." } } },
});

const faultResponse = (status: number, codes: readonly FaultCode[], components: Components): Response => {
  const examples: Record<string, Example> = Object.fromEntries(codes.map((code) => [code, faultExample(code)]));
  if (status === 429) examples.throttled = THROTTLED_EXAMPLE;
  const headers = faultHeaders(status, codes);
  return {
    description: Object.values(examples)
      .map(({ summary }) => summary)
      .join(" · "),
    headers,
    content: { "application/json": { schema: faultSchema(status, codes, components), examples } },
  };
};

/** Replies that any route may give, besides those that it declares. */
const orThrottled = (declared: Response, components: Components): Response => ({
  ...declared,
  content: { ...declared.content, ...faultResponse(429, [], components).content },
});

/** Declared replies, then the faults of the route, one response for each status. */
export const responsesOf = (contract: Contract, components: Components): Record<string, Response> => {
  const responses: Record<string, Response> = {};
  for (const [status, declared] of Object.entries(contract.replies)) {
    const response = success(contract, declared, components);
    responses[status] = status === "429" ? orThrottled(response, components) : response;
  }
  const byStatus = new Map<number, FaultCode[]>([[429, []]]);
  for (const code of declaredFaults(contract)) {
    const { status } = faultTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const asPage = contract.page && codes.length > 0;
    responses[status] ??= asPage ? pageResponse(status, codes) : faultResponse(status, codes, components);
  }
  return responses;
};
