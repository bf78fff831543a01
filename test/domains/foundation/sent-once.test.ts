import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

const used = new WeakSet<Socket>();
const answers: Readonly<Record<string, object>> = {
  "/2015-03-31/functions/the-runner/invocations": {
    status: "completed",
    output: 1,
    lines: [],
    lines_cut: false,
    calls: 0,
    duration_ms: 1,
  },
  "/v2/email/outbound-emails": { MessageId: "1" },
};
/** In place of Lambda and SES. It breaks a connection that is used again, as if it had just closed it. */
const service = createServer((request, response) => {
  const { socket, url = "" } = request;
  if (used.has(socket)) return void socket.resetAndDestroy();
  used.add(socket);
  request.resume().once("end", () => response.end(JSON.stringify(answers[url])));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, {
    RUNNER_FUNCTION_NAME: "the-runner",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  });
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

test("no code counts as killed because the service has closed an idle connection", async () => {
  const { invokeRunner } = await import("#shared/foundation/aws/runner");
  const context = { url: "http://127.0.0.1:9/", token: "none" };
  const limits = { timeout_ms: 1_000, memory_mb: 128 };
  const event = { kind: "run", form: "function", name: "test.py", code: "", user: {}, ...limits, context } as const;
  for (const _ of [1, 2, 3]) expect((await invokeRunner("org_a", event, 30_000)).status).toBe("completed");
});

test("no mail's fate is unclear because the service has closed an idle connection", async () => {
  const { sendPlainMail } = await import("#shared/foundation/aws/ses");
  const mail = { from: "a@example.test", to: "b@example.test", subject: "s", text: "t", within: 30_000 };
  for (const _ of [1, 2, 3]) expect(await sendPlainMail(mail)).toEqual({ outcome: "accepted", id: "1" });
});
