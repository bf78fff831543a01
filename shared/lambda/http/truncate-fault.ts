import { Fault, type Issue } from "#shared/foundation/faults";
import { replyMeter } from "#shared/foundation/reply-size";

/** Errors repeat names and values of callers, so that they must be cut to fit into a reply. */
const LONGEST_SENTENCE = 1_000;
const LONGEST_NAME = 200;
const MOST_ISSUES = 1_000;
const MOST_ITEMS = 100;

const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

const truncateFact = (fact: unknown): unknown => {
  if (typeof fact === "string") return cut(fact, LONGEST_NAME);
  return Array.isArray(fact) ? fact.slice(0, MOST_ITEMS).map(truncateFact) : fact;
};

const truncateIssue = ({ loc, msg, ctx, ...rest }: Issue): Issue => ({
  ...rest,
  loc: loc.map((part) => (typeof part === "string" ? cut(part, LONGEST_NAME) : part)),
  msg: cut(msg, LONGEST_SENTENCE),
  ...(ctx === undefined
    ? {}
    : { ctx: Object.fromEntries(Object.entries(ctx).map(([name, fact]) => [name, truncateFact(fact)])) }),
});

/** The first issues that fit into a reply. */
const fittingIssues = (issues: readonly Issue[]): readonly Issue[] => {
  const fits = replyMeter();
  const end = issues.findIndex(({ loc, msg, ctx }) => !fits({ loc, msg, ctx, input: " ".repeat(LONGEST_NAME) }));
  return end < 0 ? issues : issues.slice(0, end);
};

/** The fault with long texts and lists cut. */
export const truncateFault = (fault: Fault): Fault =>
  new Fault(fault.code, {
    message: cut(fault.message, LONGEST_SENTENCE),
    issues: fittingIssues(fault.issues.slice(0, MOST_ISSUES).map(truncateIssue)),
    headers: fault.headers,
    cause: fault.cause,
  });
