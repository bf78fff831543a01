import type { Contract, ReplyContract } from "#contracts/contract";
import { Fault } from "#shared/foundation/faults";
import { isTooLargeResult } from "#shared/foundation/reply-size";
import type { HttpAnswer } from "./problem.ts";
import type { Reply } from "./reply.ts";

const headersOf = (declared: ReplyContract, reply: Reply): Record<string, string> => ({
  ...(declared.body || declared.bytes ? { "content-type": declared.contentType ?? "application/json" } : {}),
  ...(declared.bytes && !declared.uncompressed ? { "content-encoding": "gzip" } : {}),
  "cache-control": "no-store",
  ...reply.headers,
});

/** A reply that breaks its contract is an internal error. */
const broken = (contract: Contract, reply: Reply, cause: unknown): Fault =>
  new Fault("internal_error", {
    cause: new Error(`${contract.operation} answered ${reply.status} against its contract.`, { cause }),
  });

const bodyOf = (contract: Contract, declared: ReplyContract, reply: Reply): string => {
  const asked = reply.headers["content-type"] ?? "";
  if (typeof reply.body === "string" && Object.hasOwn(declared.alternatives ?? {}, asked)) return reply.body;
  const parsed = declared.body?.safeParse(reply.body);
  if (!parsed?.success) throw broken(contract, reply, parsed?.error);
  return declared.contentType ? String(parsed.data) : JSON.stringify(parsed.data);
};

const bytesOf = (contract: Contract, reply: Reply): Pick<HttpAnswer, "body" | "isBase64Encoded"> => {
  if (!(reply.body instanceof Uint8Array)) throw broken(contract, reply, "no bytes");
  return { body: Buffer.from(reply.body).toString("base64"), isBase64Encoded: true };
};

export const answerOf = (contract: Contract, reply: Reply): HttpAnswer => {
  const declared = contract.replies[reply.status];
  if (declared === undefined) throw broken(contract, reply, "undeclared status");
  const headers = headersOf(declared, reply);
  const head = { statusCode: reply.status, headers, ...(reply.cookies && { cookies: [...reply.cookies] }) };
  if (declared.body === undefined && !declared.bytes) return { ...head, body: "" };
  const content = declared.bytes ? bytesOf(contract, reply) : { body: bodyOf(contract, declared, reply) };
  const answer = { ...head, ...content };
  if (isTooLargeResult(answer)) throw broken(contract, reply, `${answer.body.length} characters are too many`);
  return answer;
};
