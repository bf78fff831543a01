import { afterAll, beforeAll, expect, test } from "vitest";
import { describeExecution, startExecution, stopExecution } from "#shared/foundation/aws/workflows";
import { type Running, run } from "../../local/run.ts";
import { machineArn, machines, only, workflows } from "../../local/state-machines.ts";

const executionArn = (name: string): string => `arn:aws:states:us-east-1:000000000000:execution:Waits:${name}`;

let platform: Running;

beforeAll(async () => {
  const waits = only({ Type: "Wait", Seconds: 3600, End: true });
  const fails = only({ Type: "Fail", Error: "sandbox_run_superseded", Cause: "as asked" });
  platform = await run(machines({ Waits: waits, Fails: fails }));
  Object.assign(process.env, {
    WAITS_STATE_MACHINE_ARN: machineArn("Waits"),
    TWO_WORDS_STATE_MACHINE_ARN: machineArn("Fails"),
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL: platform.awsEndpoint,
    AWS_ACCESS_KEY_ID: platform.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: platform.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: platform.credentials.sessionToken,
  });
});
afterAll(() => platform.stop());

test("an execution is started once for its name, also with other input and after its end", async () => {
  const arn = executionArn("one");
  expect(await startExecution("waits", "one", { first: true })).toBe(arn);
  expect(await startExecution("waits", "one", { first: true })).toBe(arn);
  expect(await startExecution("waits", "one", { first: false })).toBe(arn);
  await stopExecution(arn);
  expect(await startExecution("waits", "one", { first: true })).toBe(arn);
  expect(await workflows(platform).describe(arn)).toMatchObject({ status: "ABORTED", input: '{"first":true}' });
});

test("an execution that cannot be started is an error", async () => {
  await expect(startExecution("waits", "not a name?", {})).rejects.toMatchObject({ name: "InvalidName" });
  await expect(startExecution("unknown", "one", {})).rejects.toThrow("UNKNOWN_STATE_MACHINE_ARN");
});

test("a described execution has its status and its error, and an unknown one is undefined", async () => {
  const failed = await startExecution("two-words", "one", {});
  await expect.poll(() => describeExecution(failed)).toEqual({ status: "FAILED", error: "sandbox_run_superseded" });
  expect(await describeExecution(executionArn("never"))).toBeUndefined();
});

test("an execution is stopped with a reason, and stopping an unknown one or an ended one does nothing", async () => {
  const arn = await startExecution("waits", "two", {});
  expect(await describeExecution(arn)).toEqual({ status: "RUNNING", error: undefined });
  await stopExecution(arn, { error: "superseded", cause: "a delete" });
  await stopExecution(arn, { error: "again" });
  expect(await describeExecution(arn)).toEqual({ status: "ABORTED", error: "superseded" });
  await stopExecution(executionArn("never"));
});
