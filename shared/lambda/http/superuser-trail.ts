import type { Contract } from "#contracts/contract";
import { isSecretName } from "#shared/foundation/secret-names";
import { type AuditedAnswer, type AuditedRequest, auditSuperuserRequest } from "#shared/trail/trail";
import { asOauth } from "./oauth-error.ts";
import { type HttpAnswer, toFault } from "./problem.ts";
import type { HttpEvent } from "./request.ts";

type Run = (event: HttpEvent) => Promise<HttpAnswer>;

/** In characters. */
const LONGEST_TEXT = 4_000;
const LONGEST_VALUE = 200;
const MOST_IDS = 100;

const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

const queryOf = ({ rawQueryString }: HttpEvent): string =>
  [...new URLSearchParams(rawQueryString)]
    .map(([name, value]) => `${name}=${isSecretName(name) ? "[hidden]" : value}`)
    .join("&");

const isRead = ({ method, reads }: Contract): boolean => method === "GET" || reads === true;

/**
 * The body of a writing request is not stored, because it may hold a password. Its changes have audit entries of their
 * own.
 */
const askedOf = (contract: Contract, event: HttpEvent): AuditedRequest => {
  const path = Object.entries(event.pathParameters ?? {}).map(([name, value]) => [
    name,
    cut(value ?? "", LONGEST_VALUE),
  ]);
  const query = queryOf(event);
  return {
    method: contract.method,
    route: contract.path,
    path: Object.fromEntries(path),
    ...(query && { query: cut(query, LONGEST_TEXT) }),
    ...(isRead(contract) && event.body !== undefined && { body: cut(JSON.stringify(event.body), LONGEST_TEXT) }),
  };
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The names of lists in replies. */
const LISTS = ["records", "entries", "clients", "users", "sessions"];

/** The records or rows of a reply: the body is a list, has one, is NDJSON, or is one record. */
const rowsOf = ({ headers, body }: HttpAnswer): unknown[] => {
  const type = headers["content-type"] ?? "";
  if (type === "application/x-ndjson")
    return body
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  if (body === "" || type !== "application/json") return [];
  const parsed: unknown = JSON.parse(body);
  if (Array.isArray(parsed)) return parsed;
  if (!isObject(parsed)) return [];
  if (typeof parsed.id === "string") return [parsed];
  return LISTS.map((name) => parsed[name]).find(Array.isArray) ?? [parsed];
};

const answeredOf = (answer: HttpAnswer): AuditedAnswer => {
  const rows = rowsOf(answer);
  const ids = rows.flatMap((row) =>
    isObject(row) && typeof row.id === "string" ? row.id.slice(0, LONGEST_VALUE) : [],
  );
  const record_ids = ids.slice(0, MOST_IDS);
  return { status: answer.statusCode, count: rows.length, ...(ids.length > 0 && { record_ids }) };
};

/**
 * Writes every request of a superuser into the organization's audit trail: the request before it is handled, the reply
 * before it is sent. If either cannot be written, the request fails.
 */
export const withSuperuserTrail =
  (contract: Contract, run: Run): Run =>
  async (event) => {
    const { tenant } = event.progress;
    if (tenant?.caller.is_superuser !== true) return run(event);
    const answered = await auditSuperuserRequest(tenant, askedOf(contract, event));
    let answer: HttpAnswer;
    try {
      answer = await run(event);
    } catch (error) {
      const fault = toFault(error);
      await answered({ status: (contract.oauth ? asOauth(fault) : fault).status });
      throw error;
    }
    await answered(answeredOf(answer));
    return answer;
  };
