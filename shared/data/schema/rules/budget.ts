import { EVALUATION_BUDGET } from "./limits.ts";

/** Raised in the middle of an evaluation that costs too much. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
}

/** One for all evaluations: it may be raised for each element of a list, and its stack trace is costly. */
const exceeded = new BudgetExceeded("The condition costs too much.");

/** For the evaluation that is running. Evaluations are synchronous, so there is one at a time. */
const running = { left: 0, unitsPerElement: 0 };

/** `unitsPerElement` is what the comprehensions of the condition cost for each element. */
export const refillBudget = (unitsPerElement: number, budget = EVALUATION_BUDGET): void => {
  running.left = budget;
  running.unitsPerElement = unitsPerElement;
};

export const charge = (units: number, elements = 0): void => {
  running.left -= units + elements * running.unitsPerElement;
  if (running.left < 0) throw exceeded;
};
