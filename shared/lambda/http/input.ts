import type * as z from "zod";
import type { Contract, RequestContract } from "#contracts/contract";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { issuesOf } from "./issues.ts";
import type { HttpEvent } from "./request.ts";

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The parsed parts of a request, typed by the contract. */
export interface ParsedRequest<C extends Contract> {
  readonly path: Parsed<C["request"]["path"]>;
  readonly query: Parsed<C["request"]["query"]>;
  readonly headers: Parsed<C["request"]["headers"]>;
  readonly body: Parsed<C["request"]["body"]>;
}

/** `ids=a&ids=b` arrives as an array, `limit=5` as text. One value stays text, several become an array. */
const queryOf = (event: HttpEvent): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(event.rawQueryString)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
};

/** Parses all four parts, and raises one `validation_failed` with all issues. */
export const parseRequest = <C extends Contract>(contract: C, event: HttpEvent): ParsedRequest<C> => {
  const declared: RequestContract = contract.request;
  const issues: Issue[] = [];
  const parse = (prefix: string, schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (schema === undefined) return undefined;
    const result = schema.safeParse(value(), { reportInput: true });
    if (result.success) return result.data;
    issues.push(...issuesOf(prefix, result.error));
    return undefined;
  };
  const parsed = {
    path: parse("path", declared.path, () => event.pathParameters ?? {}),
    query: parse("query", declared.query, () => queryOf(event)),
    headers: parse("headers", declared.headers, () => event.headers),
    body: parse("body", declared.body, () => event.body),
  };
  refuseIfAny(issues);
  return parsed as ParsedRequest<C>;
};
