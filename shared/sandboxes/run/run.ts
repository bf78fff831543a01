/** The tasks of the workflow. Each may run twice, stop anywhere and be repeated later. */
export { cleanUpStep } from "./clean-up.ts";
export { copyConfigurationStep, indexConfigurationStep } from "./copy.ts";
export { closeStep, dropDatabaseStep, leaveListsStep, removeBelongingsStep, unregisterStep } from "./delete.ts";
export { enterListsStep, finishStep } from "./finish.ts";
export { copyUsersStep } from "./people.ts";
export { reconcileRuns } from "./reconcile.ts";
export { registerRun } from "./register.ts";
export { applySafetyStep } from "./safety.ts";
export { settleCopiesStep } from "./settle.ts";
export { sweepLeftovers } from "./sweep.ts";
export { switchOverStep } from "./switch-over.ts";
