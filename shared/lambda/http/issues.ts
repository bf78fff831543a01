import type * as z from "zod";
import type { Issue } from "#shared/foundation/faults";

type ZodIssue = z.core.$ZodIssue;

/** zod's issue codes, mapped to FastAPI's names where there is one. */
const typeOf = (issue: ZodIssue): string => {
  if (issue.code === "invalid_type") return issue.input === undefined ? "missing" : `${issue.expected}_type`;
  if (issue.code === "unrecognized_keys") return "extra_forbidden";
  if (issue.code === "invalid_format") return `${issue.format}_format`;
  return issue.code;
};

const messageOf = (issue: ZodIssue): string =>
  issue.code === "invalid_type" && issue.input === undefined ? "This value is required." : issue.message;

const located = (prefix: string, issue: ZodIssue): readonly (string | number)[] => [
  prefix,
  ...issue.path.map((part) => (typeof part === "number" ? part : String(part))),
];

/** zod's issues in the platform's shape. Each unknown key becomes an issue with its own path. */
export const issuesOf = (prefix: string, error: z.ZodError): Issue[] =>
  error.issues.flatMap((issue): Issue[] => {
    const loc = located(prefix, issue);
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: "This name is not known here.",
        type: typeOf(issue),
      }));
    }
    return [
      { loc, msg: messageOf(issue), type: typeOf(issue), ...(issue.input === undefined ? {} : { input: issue.input }) },
    ];
  });
