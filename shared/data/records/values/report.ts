import type { Issue } from "#shared/foundation/faults";

type JsonPath = readonly (string | number)[];

/** What a record's values point to: filled in once the target was found. */
export interface Reference {
  readonly id: string;
  readonly schema: string;
  name: string | null;
}

export interface PendingReference {
  readonly reference: Reference;
  readonly at: JsonPath;
}

/** Collects everything that is wrong with a request, and everything that it points to, before anything is decided. */
export interface Report {
  readonly issues: Issue[];
  readonly references: PendingReference[];
}

export const newReport = (): Report => ({ issues: [], references: [] });

/** An answer has to stay within Lambda's 6 MB, and nobody mends more than this at once. */
const MOST_ISSUES = 1_000;

/** Keys longer than this are cut where they are named. */
const LONGEST_KEY = 100;

export const shortKey = (key: string): string => (key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);

/** One value's view of the report: where it is, and whether it may be repeated to the caller. */
export interface ValidationContext {
  readonly report: Report;
  readonly at: JsonPath;
  readonly secret: boolean;
}

export const within = (context: ValidationContext, key: string | number): ValidationContext => ({
  ...context,
  at: [...context.at, typeof key === "string" ? shortKey(key) : key],
});

/** Notes a failure; the result stands for "no value". */
export const fail = (context: ValidationContext, type: string, msg: string, input?: unknown): undefined => {
  if (context.report.issues.length >= MOST_ISSUES) return undefined;
  const echo = context.secret || input === undefined ? {} : { input };
  context.report.issues.push({ loc: context.at, msg, type, ...echo });
  return undefined;
};

/** Notes that the value points to a record, and gives what will be stored. */
export const point = (context: ValidationContext, schema: string, id: string): Reference => {
  const reference: Reference = { id, schema, name: null };
  context.report.references.push({ reference, at: context.at });
  return reference;
};
