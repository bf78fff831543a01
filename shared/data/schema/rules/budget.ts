import { EVALUATION_BUDGET } from "./limits.ts";

/** Raised in the middle of an evaluation that costs too much. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
}

/** What is left for the evaluation that is running. Evaluations are synchronous, so there is one at a time. */
let left = 0;

export const refillBudget = (): void => {
  left = EVALUATION_BUDGET;
};

export const charge = (units: number): void => {
  left -= units;
  if (left < 0) throw new BudgetExceeded("The condition costs too much.");
};
