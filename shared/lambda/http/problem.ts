import { Fault, type Issue } from "#shared/foundation/faults";

export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  /** `Set-Cookie` values. */
  cookies?: string[];
  body: string;
  /** The body is base64 of binary data. */
  isBase64Encoded?: true;
}

/** Values under these names are never echoed. */
const SECRET = /password|secret|token|code|credential|key/i;
const ECHO_LIMIT = 200;

/** The refused value, if it is small and not secret. */
const echo = ({ loc, input }: Issue): { input?: unknown } => {
  if (input === undefined || loc.some((part) => typeof part === "string" && SECRET.test(part))) return {};
  if (typeof input === "object" && input !== null) return {};
  return typeof input === "string" && input.length > ECHO_LIMIT
    ? { input: `${input.slice(0, ECHO_LIMIT)}…` }
    : { input };
};

const issueBody = (issue: Issue): Record<string, unknown> => ({
  loc: issue.loc,
  msg: issue.msg,
  type: issue.type,
  ...echo(issue),
  ...(issue.ctx ? { ctx: issue.ctx } : {}),
});

/** The body of every error: `{detail, code, request_id}`. `detail` is an array for 422 only. */
export const problem = (fault: Fault, requestId: string, extra: Record<string, unknown> = {}): HttpAnswer => ({
  statusCode: fault.status,
  headers: { "content-type": "application/json", "cache-control": "no-store", ...fault.headers },
  body: JSON.stringify({
    ...extra,
    detail: fault.status === 422 ? validationDetail(fault) : fault.message,
    code: fault.code,
    request_id: requestId,
  }),
});

const validationDetail = (fault: Fault): unknown[] =>
  fault.issues.length > 0
    ? fault.issues.map(issueBody)
    : [issueBody({ loc: ["body"], msg: fault.message, type: fault.code })];

/** Converts anything thrown to a Fault. Unexpected errors become `internal_error` without details. */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  if (isDatabaseDown(error))
    return new Fault("database_unavailable", { cause: error, headers: { "retry-after": "5" } });
  return new Fault("internal_error", { cause: error });
};

const DOWN = new Set([
  "MongoServerSelectionError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoPoolClearedError",
]);

const isDatabaseDown = (error: unknown): boolean => error instanceof Error && DOWN.has(error.name);
