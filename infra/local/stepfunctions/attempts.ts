import * as z from "zod";
import { combine } from "./data-flow.ts";
import type { Retrier, TaskState } from "./definition.ts";
import { sleepUntil } from "./halt.ts";
import { once, type Scope } from "./scope.ts";
import { matchesError, StateError } from "./state-error.ts";

/** Where an execution goes on. Without `next` its branch has ended. */
export interface Outcome {
  readonly output: unknown;
  readonly next: string | undefined;
}

const waited = z.object({ until: z.number() });

/** Milliseconds until the next attempt, after so many attempts that this retrier has caused. */
const delayOf = (retrier: Retrier, used: number): number => {
  const longest = retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY;
  const seconds = Math.min(retrier.IntervalSeconds * retrier.BackoffRate ** used, longest);
  return 1000 * (retrier.JitterStrategy === "FULL" ? Math.random() * seconds : seconds);
};

/** Runs the attempts of a state by its Retry. Catch decides where a failure leads. */
export const withAttempts = async (
  state: Pick<TaskState, "Retry" | "Catch" | "Next">,
  { key, raw, scope }: { readonly key: string; readonly raw: unknown; readonly scope: Scope },
  attempt: (key: string, number: number) => Promise<unknown>,
): Promise<Outcome> => {
  const used = new Map<Retrier, number>();
  for (let number = 0; ; number++) {
    try {
      return { output: await attempt(`${key}.${number}`, number), next: state.Next };
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      const retrier = state.Retry.find((one) => matchesError(one.ErrorEquals, error));
      const before = retrier === undefined ? 0 : (used.get(retrier) ?? 0);
      if (retrier !== undefined && before < retrier.MaxAttempts) {
        used.set(retrier, before + 1);
        const until = scope.clock.now() + delayOf(retrier, before);
        const recorded = once(scope, { key: `${key}.${number}.retry`, data: { until } });
        await sleepUntil(scope.clock, waited.parse(recorded.data).until, scope.signal);
        continue;
      }
      const catcher = state.Catch.find((one) => matchesError(one.ErrorEquals, error));
      if (catcher === undefined) throw error;
      const caught = { Error: error.error, ...(error.reason !== undefined && { Cause: error.reason }) };
      return { output: combine(raw, caught, catcher.ResultPath), next: catcher.Next };
    }
  }
};
