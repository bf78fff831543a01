import { describe, expect, test } from "vitest";
import { runForTest } from "./run.ts";
import { machines, only, stateMachine, task } from "./state-machines.ts";

describe("a definition with a feature that is not supported stops the start and is named", () => {
  const state = { Type: "Pass", End: true };
  const map = (rest: object, processor: object = {}) =>
    only({ Type: "Map", End: true, ItemProcessor: { ...only(state), ...processor }, ...rest });
  test.each([
    ["QueryLanguage", only(state, { QueryLanguage: "JSONata" })],
    ["States.Only: Assign", only({ ...state, Assign: { a: 1 } })],
    ["States.Only: ItemReader", map({ ItemReader: {} })],
    ["States.Only: ToleratedFailurePercentage", map({ ToleratedFailurePercentage: 5 })],
    ["only INLINE", map({}, { ProcessorConfig: { Mode: "DISTRIBUTED" } })],
    ["States.Only: HeartbeatSeconds", only(task({}, { HeartbeatSeconds: 5, End: true }))],
    ["only arn:aws:states:::lambda:invoke", only({ ...task({}), Resource: "arn:aws:states:::sqs:sendMessage" })],
    ["States.Only.InputPath: the path", only({ ...state, InputPath: "$.a[?(@.b)]" })],
    ["States.Frobnicate", only({ ...state, Parameters: { "a.$": "States.Frobnicate(1)" } })],
    ["Nowhere, which does not exist", only({ Type: "Pass", Next: "Nowhere" })],
    [
      "States.ALL is not alone",
      only(task({}, { Retry: [{ ErrorEquals: ["States.ALL"] }, { ErrorEquals: ["Other"] }], End: true })),
    ],
    ["two states are named Only", map({}, only(state))],
  ])("%s", async (message, definition) => {
    const stack = machines({});
    Object.assign((stack.workflows as { Resources: object }).Resources, stateMachine("Wrong", definition));
    await expect(runForTest(stack)).rejects.toThrow(message);
  });

  test("a role that Step Functions may not assume is refused", async () => {
    const stack = machines({});
    const machine = stateMachine("Wrong", only(state), { RoleArn: { "Fn::GetAtt": ["TaskRole", "Arn"] } });
    Object.assign((stack.workflows as { Resources: object }).Resources, machine);
    await expect(runForTest(stack)).rejects.toThrow("does not let Step Functions assume it");
  });
});
