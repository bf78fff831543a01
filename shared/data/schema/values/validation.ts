import type { Issue } from "#shared/foundation/faults";

type JsonPath = readonly (string | number)[];

/** A reference to be stored. `name` is filled in when its record has been read. */
export interface Reference {
  readonly id: string;
  readonly schema: string;
  name: string | null;
}

export interface PendingReference {
  readonly reference: Reference;
  readonly at: JsonPath;
}

/** A text that is not among the choices of its field, and its issue. */
export interface PendingChoice {
  readonly text: string;
  readonly at: JsonPath;
  readonly issue: Issue;
}

/** Brings telephone numbers into their stored form. */
export interface PhoneReader {
  /** Assumed for numbers without a country code; undefined if there is none. */
  readonly country: string | undefined;
  /** Undefined for a text that is no telephone number. */
  read(text: string): string | undefined;
}

/** Collects all issues and all references of a request, before anything is written. */
export interface ValidationReport {
  /** Loaded for requests that send telephone numbers. Without it a number has to be in its stored form already. */
  readonly phones?: PhoneReader;
  /**
   * Present for changes of records: a choice that its record holds already may be sent back. Otherwise such a choice is an
   * issue at once.
   */
  readonly choices?: PendingChoice[];
  readonly issues: Issue[];
  readonly references: PendingReference[];
}

export const newValidationReport = (options: Pick<ValidationReport, "phones" | "choices"> = {}): ValidationReport => ({
  issues: [],
  references: [],
  ...options,
});

/** Keeps the reply within Lambda's 6 MB. */
const MOST_ISSUES = 1_000;

/** In characters. Longer keys are cut in messages. */
const LONGEST_KEY = 100;

export const shortKey = (key: string): string => (key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);

/** The position of one value, the report that collects its issues, and whether it must not be echoed to the caller. */
export interface ValidationContext {
  readonly report: ValidationReport;
  readonly at: JsonPath;
  readonly secret: boolean;
}

export const within = (context: ValidationContext, key: string | number): ValidationContext => ({
  ...context,
  at: [...context.at, typeof key === "string" ? shortKey(key) : key],
});

export const addIssue = ({ issues }: ValidationReport, issue: Issue): void => {
  if (issues.length < MOST_ISSUES) issues.push(issue);
};

export const issueOf = ({ at, secret }: ValidationContext, type: string, msg: string, input?: unknown): Issue => ({
  loc: at,
  msg,
  type,
  ...(secret || input === undefined ? {} : { input }),
});

/** Adds an issue. Gives undefined, so that a validator can return it as "no value". */
export const fail = (context: ValidationContext, type: string, msg: string, input?: unknown): undefined => {
  addIssue(context.report, issueOf(context, type, msg, input));
  return undefined;
};

/** Adds a reference to be resolved, and gives the value to store. */
export const addReference = (context: ValidationContext, schema: string, id: string): Reference => {
  const reference: Reference = { id, schema, name: null };
  context.report.references.push({ reference, at: context.at });
  return reference;
};
