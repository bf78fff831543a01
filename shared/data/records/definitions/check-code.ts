import { type CheckAnswer, type CheckEvent, runnerLimits } from "#contracts/runner";
import { invokeRunner } from "#shared/foundation/aws/runner";
import type { Issue } from "#shared/foundation/faults";
import type { CheckedWrite } from "../check-rules.ts";
import type { Target } from "../target.ts";

/** The value that a write sets; undefined if it keeps the stored one. */
export const changedValue = ({ before, after }: CheckedWrite, name: string): unknown => {
  const value: unknown = after?.[name];
  return value === before?.[name] ? undefined : value;
};

const PATIENCE_MS = 10_000;

/** Checks of one request at the same time. */
const AT_ONCE = 4;

interface Code {
  readonly code: string;
  readonly loc: Issue["loc"];
}

const issueOf =
  ({ loc }: Code) =>
  ({ line, column, rule, message }: CheckAnswer["issues"][number]): Issue => ({
    loc,
    msg: `Line ${line}, column ${column}: ${message}`,
    type: "invalid_code",
    ctx: { line, column, rule },
  });

const tooLarge = ({ code, loc }: Code): Issue[] => {
  const bytes = Buffer.byteLength(code);
  if (bytes <= runnerLimits.code) return [];
  return [{ loc, msg: `The code has ${bytes} bytes, of at most ${runnerLimits.code}.`, type: "code_too_large" }];
};

/**
 * The issues of new and changed Python code in the field `code`. The validator is the runner's, which checks the code
 * again before each run. Raises `too_many_functions` and `dependency_unavailable`.
 */
export const codeIssues = async (
  { tenant }: Pick<Target, "tenant">,
  writes: readonly CheckedWrite[],
  form: CheckEvent["form"],
): Promise<Issue[]> => {
  const codes = writes.flatMap((write): Code[] => {
    const code = changedValue(write, "code");
    return typeof code === "string" ? [{ code, loc: [...write.loc, "code"] }] : [];
  });
  const found: Issue[][] = [];
  const waiting = codes.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of waiting) {
      found[index] = tooLarge(one);
      if (found[index].length > 0) continue;
      const event = { kind: "check", form, code: one.code } as const;
      const { issues } = await invokeRunner(tenant.organization_id, event, PATIENCE_MS);
      found[index] = issues.map(issueOf(one));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.flat();
};
