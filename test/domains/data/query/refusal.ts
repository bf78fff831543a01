import { Fault, type Issue } from "#shared/foundation/faults";

/** The issues of the fault that the work raises. Fails if it raises none. */
export const issuesOf = (work: () => unknown): readonly Issue[] => {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault && error.code === "validation_failed") return error.issues;
    throw error;
  }
  throw new Error("Nothing was refused.");
};

/** The only issue. */
export const issueOf = (work: () => unknown): Issue => {
  const issues = issuesOf(work);
  if (issues.length !== 1)
    throw new Error(`There are ${issues.length} issues: ${issues.map((issue) => issue.msg).join(" ")}`);
  return issues[0] as Issue;
};
