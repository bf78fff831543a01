import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workflowApp } from "../infra/workflow-stack.ts";
import { runForTest } from "./run.ts";
import { workflows } from "./state-machines.ts";

const parameter = (name: string) => ({
  Type: "AWS::SSM::Parameter",
  Properties: { Name: `/tenantry/dev/${name}`, Type: "String", Value: name },
});

test("a workflow declared in CDK runs here from its template", async () => {
  const directory = (name: string) => join(import.meta.dirname, "handlers", name);
  const { app } = workflowApp({ greet: directory("probe"), tidy: directory("missing-export") });
  const { stackName, templateFullPath } = app.synth().getStackByName("example");
  const example: unknown = JSON.parse(readFileSync(templateFullPath, "utf8"));
  const names = ["alarm-topic-arn", "api-endpoint", "mongodb-secret-arn", "mongodb-provisioning-secret-arn"];
  const shared = { Resources: Object.fromEntries(names.map((name, index) => [`Value${index}`, parameter(name)])) };
  const api = workflows(await runForTest({ shared, [stackName]: example }));

  const execution = await api.start("tenantry-dev-example", { name: "Ada" }, "one");
  // The handler answers with its event.
  expect(await api.ended(execution)).toEqual({
    status: "SUCCEEDED",
    output: { name: "Ada", greeting: { output: { execution, attempt: 0, input: { name: "Ada" } } } },
  });

  const lost = await api.ended(await api.start("tenantry-dev-example", {}, "two"));
  expect(lost).toMatchObject({ status: "FAILED", error: "States.Runtime" });
});
