import type { WorkflowTask } from "../constructs/workflow-task.ts";
import type { Workflow } from "../stacks/workflows.ts";

type Json = Readonly<Record<string, unknown>>;

/** What every task is told: the sandbox and the run. Documents never pass through the state machine. */
const run = { "sandbox_id.$": "$.sandbox_id", "run_id.$": "$.run_id" };

/** Longer than a copy of the largest configuration, with its retries. The reconciler takes up what takes longer. */
const LONGEST_SECONDS = 60 * 60;

/** Collections that are copied at the same time. */
const COPIES_AT_ONCE = 4;

const givenUp = { ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "CleanUp" };

/** A state that runs a step; if it fails for good, the run is cleaned up. */
const stateOf = (task: (step: string) => WorkflowTask) => (step: string, input: Json, rest: Json) =>
  task(step).state({ ...run, ...input }, { Catch: [givenUp], ResultPath: null, ...rest });

const definition: Workflow["definition"] = (task) => {
  const state = stateOf(task);
  const copyOfKind: Json = {
    StartAt: "CopyConfiguration",
    States: {
      CopyConfiguration: task("copy-configuration").state(
        { ...run, "kind.$": "$.kind" },
        { ResultPath: "$.copied", Next: "IndexConfiguration" },
      ),
      IndexConfiguration: task("index-configuration").state(
        { ...run, "kind.$": "$.kind", "copy.$": "$.copied.output" },
        { OutputPath: "$.output", End: true },
      ),
    },
  };
  return {
    StartAt: "Register",
    TimeoutSeconds: LONGEST_SECONDS,
    States: {
      Register: state("register", {}, { ResultPath: "$.registered", Next: "ChoosePath" }),
      ChoosePath: {
        Type: "Choice",
        Choices: [
          { Variable: "$.registered.output.path", StringEquals: "delete", Next: "Close" },
          { Variable: "$.registered.output.path", StringEquals: "switch", Next: "CompleteSwitchOver" },
        ],
        Default: "CopyKinds",
      },
      CopyKinds: {
        Type: "Map",
        ItemsPath: "$.registered.output.kinds",
        ItemSelector: { ...run, "kind.$": "$$.Map.Item.Value" },
        MaxConcurrency: COPIES_AT_ONCE,
        ItemProcessor: copyOfKind,
        ResultPath: "$.copies",
        Catch: [givenUp],
        Next: "SettleCopies",
      },
      SettleCopies: state(
        "settle-copies",
        { "copies.$": "$.copies", "versions.$": "$.registered.output.versions" },
        { ResultPath: "$.settled", Next: "CopyUsers" },
      ),
      CopyUsers: state("copy-users", {}, { ResultPath: "$.users", Next: "ApplySafety" }),
      ApplySafety: state(
        "apply-safety",
        { "copies.$": "$.settled.output.copies", "users.$": "$.users.output" },
        { ResultPath: "$.safe", Next: "SwitchOver" },
      ),
      SwitchOver: state("switch-over", { "copies.$": "$.safe.output.copies" }, { Next: "EnterLists" }),
      CompleteSwitchOver: state("switch-over", {}, { Next: "EnterLists" }),
      EnterLists: state("enter-lists", {}, { Next: "Finish" }),
      Finish: state("finish", {}, { Next: "Succeeded" }),

      Close: state("close", {}, { Next: "LeaveLists" }),
      LeaveLists: state("leave-lists", {}, { Next: "RemoveBelongings" }),
      RemoveBelongings: state("remove-belongings", {}, { Next: "DropDatabase" }),
      DropDatabase: state("drop-database", {}, { Next: "Unregister" }),
      Unregister: state("unregister", {}, { Next: "Succeeded" }),

      CleanUp: task("clean-up").state({ ...run, "error.$": "$.error" }, { ResultPath: "$.cleaned", Next: "ChooseEnd" }),
      ChooseEnd: {
        Type: "Choice",
        Choices: [
          { Variable: "$.cleaned.output.outcome", StringEquals: "superseded", Next: "Succeeded" },
          { Variable: "$.cleaned.output.outcome", StringEquals: "forward", Next: "WaitToComplete" },
        ],
        Default: "Failed",
      },
      // What has been switched over in part is only ever completed.
      WaitToComplete: { Type: "Wait", Seconds: 10, Next: "CompleteSwitchOver" },
      Failed: { Type: "Fail", ErrorPath: "$.error.Error", CausePath: "$.error.Cause" },
      Succeeded: { Type: "Succeed" },
    },
  };
};

/** In seconds. The database is told to stop a copy after twelve minutes. */
const copies = { provisions: true, timeout: 14 * 60 } as const;
const provisions = { provisions: true } as const;

/** Creating, refreshing and deleting a sandbox. */
export const sandboxWorkflow: Workflow = {
  definition,
  needs: {
    register: provisions,
    "copy-configuration": copies,
    "index-configuration": copies,
    "settle-copies": copies,
    "copy-users": copies,
    "apply-safety": provisions,
    "switch-over": { ...provisions, removesSchedules: true },
    "enter-lists": provisions,
    "clean-up": provisions,
    close: provisions,
    "remove-belongings": { ...provisions, removesSchedules: true },
    "drop-database": provisions,
  },
  impact:
    "a sandbox could not be created, refreshed or deleted; its administrators are told why. Production is unharmed.",
};
