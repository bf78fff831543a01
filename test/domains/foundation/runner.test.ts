import { beforeAll, expect, inject, it } from "vitest";
import type { RunEvent } from "#contracts/runner";
import { invokeRunner } from "#shared/foundation/aws/runner";

const platform = inject("platform");
const organization = "org_0123456789abcdef";

beforeAll(() => {
  Object.assign(process.env, {
    RUNNER_FUNCTION_NAME: `tenantry-${platform.stage}-runner`,
    AWS_REGION: platform.region,
    AWS_ENDPOINT_URL: platform.awsEndpoint,
    AWS_ACCESS_KEY_ID: platform.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: platform.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: platform.credentials.sessionToken,
  });
});

const run = (code: string, more: Partial<RunEvent> = {}): RunEvent => ({
  kind: "run",
  form: "function",
  name: "test.py",
  code,
  kwargs: {},
  user: { id: "user", name: "Someone", email: "someone@example.test" },
  timeout_ms: 5_000,
  memory_mb: 128,
  context: { url: "http://127.0.0.1:9/", token: "none" },
  ...more,
});

it("the runner's Lambda runs code and gives what it returns, with its log lines", async () => {
  const code =
    "async def execute(platform, **kwargs):\n    platform.log('hello', 'info')\n    return {'sum': kwargs['a'] + 1}\n";
  const answer = await invokeRunner(organization, run(code, { kwargs: { a: 41 } }), 10_000);
  expect(answer).toMatchObject({
    status: "completed",
    output: { sum: 42 },
    lines: [{ level: "info", message: "hello" }],
  });
});

it("an exception of the code is a failed run that names it", async () => {
  const code = "async def execute(platform, **kwargs):\n    return 1 / 0\n";
  const answer = await invokeRunner(organization, run(code), 10_000);
  expect(answer).toMatchObject({ status: "failed", error: { kind: "exception", type: "ZeroDivisionError", line: 2 } });
});

it("code that the runner refuses has its issues, with lines and columns", async () => {
  const code = "async def execute(platform, **kwargs:\n    return 1\n";
  const { issues } = await invokeRunner(organization, { kind: "check", form: "function", code }, 10_000);
  expect(issues[0]).toMatchObject({ line: 1, column: expect.any(Number), rule: expect.any(String) });
});

it("a run without an answer in time has failed", async () => {
  const code = "async def execute(platform, **kwargs):\n    while True:\n        pass\n";
  const answer = await invokeRunner(organization, run(code, { timeout_ms: 3_000 }), 500);
  expect(answer).toMatchObject({ status: "failed", error: { kind: "timeout" } });
});
