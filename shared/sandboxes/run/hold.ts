import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { changeSandbox, type HeldSandbox, type RegisteredSandbox } from "../registry.ts";

/** As the tasks get it. */
export interface RunInput {
  readonly sandbox_id: string;
  readonly run_id: string;
}

/** A task that failed is tried again after at most so long. */
const RETRY_MS = 5 * 60_000;

export const superseded = (): Fault => new Fault("sandbox_run_superseded");

const held = (entry: RegisteredSandbox | null): HeldSandbox => {
  if (entry?.sandbox.run === undefined) throw superseded();
  return entry as HeldSandbox;
};

/** What the registry entry must be for a task of the run to do something. */
export const byRun = ({ run_id }: Pick<RunInput, "run_id">) => ({
  "sandbox.run.id": run_id,
  "sandbox.run.undoing": { $exists: false },
});

/**
 * Checks that the run still holds the sandbox, and renews its lease for a step that takes at most so many milliseconds.
 * Raises `sandbox_run_superseded`.
 */
export const holdRun = async (input: RunInput, step: string, longest = 60_000): Promise<HeldSandbox> => {
  const lease_until = new Date(nowMillis() + longest + RETRY_MS);
  const change = { $set: { "sandbox.progress.step": step, "sandbox.run.lease_until": lease_until } };
  return held(await changeSandbox(input.sandbox_id, byRun(input), change));
};

/** Records that a step, or a part of one, has been completed. Repeatable. Raises `sandbox_run_superseded`. */
export const completeStep = async (
  input: RunInput,
  completed: string,
  also: Readonly<Record<string, unknown>> = {},
): Promise<HeldSandbox> => {
  const all = { $setUnion: [{ $ifNull: ["$sandbox.run.completed", []] }, [completed]] };
  const values = Object.entries(also).map(([path, value]) => [path, { $literal: value }] as const);
  const change = [
    { $set: { ...Object.fromEntries(values), "sandbox.run.completed": all } },
    { $set: { "sandbox.progress.done": { $size: "$sandbox.run.completed" } } },
  ];
  return held(await changeSandbox(input.sandbox_id, byRun(input), change));
};
