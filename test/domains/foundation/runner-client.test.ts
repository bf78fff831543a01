import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { RunEvent } from "#contracts/runner";
import { invokeRunner } from "#shared/foundation/aws/runner";

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const asked: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
let replies: Reply[];
/** In place of Lambda. Gives its replies in their order, and the last one again and again. */
const lambda = createServer((request, response) => {
  asked.push({ url: request.url, headers: request.headers });
  const { status, headers = {}, body } = (replies.length > 1 ? replies.shift() : replies[0]) as Reply;
  request.resume().once("end", () => response.writeHead(status, headers).end(body));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => lambda.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, {
    RUNNER_FUNCTION_NAME: "the-runner",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token",
  });
});
afterAll(() => {
  lambda.closeAllConnections();
  lambda.close();
});
beforeEach(() => {
  asked.length = 0;
});

const run: RunEvent = {
  kind: "run",
  form: "function",
  name: "test.py",
  code: "",
  user: {},
  timeout_ms: 1_000,
  memory_mb: 128,
  context: { url: "http://127.0.0.1:9/", token: "none" },
};
const check = { kind: "check", form: "function", code: "" } as const;
const traces = { lines: [], lines_cut: false, calls: 0, duration_ms: 1 };
const completed: Reply = { status: 200, body: JSON.stringify({ status: "completed", output: 1, ...traces }) };
const throttled: Reply = {
  status: 429,
  headers: { "x-amzn-errortype": "TooManyRequestsException" },
  body: '{"message": "Rate Exceeded."}',
};
const unavailable: Reply = {
  status: 500,
  headers: { "x-amzn-errortype": "ServiceException" },
  body: '{"message": "An error occurred."}',
};
const crashed: Reply = {
  status: 200,
  headers: { "x-amz-function-error": "Unhandled" },
  body: '{"errorType": "Runtime.ExitError", "errorMessage": "signal: killed"}',
};

test("the runner is invoked synchronously for one tenant", async () => {
  replies = [completed];
  expect(await invokeRunner("org_a", run, 5_000)).toEqual({ status: "completed", output: 1, ...traces });
  expect(asked).toMatchObject([
    {
      url: "/2015-03-31/functions/the-runner/invocations",
      headers: { "x-amz-tenant-id": "org_a", "x-amz-invocation-type": "RequestResponse" },
    },
  ]);
});

test("a throttled invocation is repeated twice, and is then too_many_functions", async () => {
  replies = [throttled, throttled, completed];
  expect(await invokeRunner("org_a", run, 5_000)).toMatchObject({ status: "completed" });
  expect(asked.length).toBe(3);
  replies = [throttled];
  await expect(invokeRunner("org_a", run, 5_000)).rejects.toMatchObject({ code: "too_many_functions" });
  expect(asked.length).toBe(6);
});

test("an invocation that has failed at Lambda is not repeated, because the code may have run", async () => {
  replies = [unavailable];
  await expect(invokeRunner("org_a", run, 5_000)).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect(asked.length).toBe(1);
});

test.each([
  ["has ended without an answer", crashed],
  ["gave something that is no answer", { status: 200, body: '{"status": "fine"}' }],
  ["gave no JSON", { status: 200, body: "nonsense" }],
])("a run is killed if the environment %s, and a check cannot be made", async (_, reply) => {
  replies = [reply];
  expect(await invokeRunner("org_a", run, 5_000)).toMatchObject({
    status: "failed",
    error: { kind: "killed", type: "Killed" },
    lines: [],
  });
  await expect(invokeRunner("org_a", check, 5_000)).rejects.toMatchObject({ code: "dependency_unavailable" });
});
