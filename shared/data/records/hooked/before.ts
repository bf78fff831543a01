import { isDeepStrictEqual } from "node:util";
import { Fault, type Issue } from "#shared/foundation/faults";
import { type Contexts, finishChecks, type HeldValues, newBatch } from "../batch.ts";
import { type Changes, checkFields } from "../check-record.ts";
import type { BeforeHook, RecordMap, WriteOperation } from "../hooks.ts";
import type { Target } from "../target.ts";

/** The records of a write in their order, as a hook gets them and leaves them. */
interface Rewritten {
  readonly hook: BeforeHook;
  readonly operation: Exclude<WriteOperation, "delete">;
  readonly ids: readonly string[];
  readonly given: RecordMap;
  readonly left: RecordMap;
  readonly contexts: Contexts;
}

/** The fields that the hook has changed. Those that it has removed from the map stay as they are. */
const changedFields = ({ given, left }: Rewritten, id: string): Record<string, unknown> => {
  const before = given[id] ?? {};
  const entries = Object.entries(left[id] ?? {});
  return Object.fromEntries(entries.filter(([name, value]) => !isDeepStrictEqual(value, before[name])));
};

const issueOf = (hook: BeforeHook, issue: Issue): Issue => ({
  ...issue,
  msg: `The trigger "${hook.name}" set a value that is refused. ${issue.msg}`,
  ctx: { ...issue.ctx, trigger: hook.name },
});

const naming = async <T>(hook: BeforeHook, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "validation_failed") throw error;
    throw new Fault("validation_failed", { issues: error.issues.map((issue) => issueOf(hook, issue)) });
  }
};

const strangers = ({ given, left, contexts }: Rewritten): Issue[] =>
  Object.keys(left)
    .filter((id) => !Object.hasOwn(given, id))
    .slice(0, 1)
    .map(() => ({
      loc: contexts(0).at.slice(0, 1),
      msg: "new_map has a record that is not part of this write.",
      type: "trigger_failed",
    }));

/** A required value that is removed is missing later, unless another trigger sets it. */
const withRemoved = (sent: Readonly<Record<string, unknown>>, checked: Changes): Changes => {
  const removed = Object.entries(sent).filter(([name, value]) => value === null && !Object.hasOwn(checked, name));
  return { ...checked, ...Object.fromEntries(removed) };
};

/**
 * The changes that a hook has made to `new_map`, for each record. They are checked as if the writer had sent them.
 * Raises
 * `validation_failed`, which names the hook.
 */
export const checkRewritten = (target: Target, rewritten: Rewritten, held?: HeldValues): Promise<Changes[]> => {
  const { hook, operation, ids, contexts } = rewritten;
  return naming(hook, async () => {
    const items = ids.map((id) => changedFields(rewritten, id));
    const batch = await newBatch(target, operation, items);
    const forbidden: Issue[] = [];
    const all = items.map((item, index): Changes => {
      const context = { ...contexts(index), report: batch.report };
      const own = { report: batch.report, forbidden: new Set<string>() };
      const checked = checkFields(target, operation, item, context, own);
      for (const name of own.forbidden) {
        forbidden.push({ loc: [...context.at, name], msg: "The writer may not set this field.", type: "forbidden" });
      }
      return operation === "create" ? withRemoved(item, checked) : checked;
    });
    await finishChecks(target, batch, () => [...strangers(rewritten), ...forbidden], held);
    // The names of these references are confirmed after the commit, as those of others.
    for (const pending of batch.report.references) contexts(0).report.references.push(pending);
    return all;
  });
};
