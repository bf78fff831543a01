import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { median, perSecond, timedGet, timedPost } from "./measure.ts";
import { line } from "./print.ts";

const ROUNDS = 200;
const PARALLEL = 4;
const SECONDS = 5;

const body = (lines: string): string => `async def execute(platform, **kwargs):\n${lines}\n`;

const codes: Readonly<Record<string, string>> = {
  "plain.py": body("    return {'sum': kwargs['a'] + kwargs['b']}"),
  "calls.py": body(
    "    for _ in range(10):\n        await platform.query.sql('SELECT id FROM lead LIMIT 1')\n    return 1",
  ),
  "nested.py": body("    return await platform.workflows.run_function('plain.py', kwargs)"),
};

const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

const measured = async (work: () => Promise<number>, rounds = ROUNDS): Promise<number[]> => {
  for (let round = 0; round < 20; round += 1) await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await work());
  return times;
};

const print = (what: string, times: readonly number[]): void =>
  line(what, `${median(times).toFixed(1)} ms`, `p99 ${p99(times).toFixed(1)} ms`);

/** A function call from request to reply, and its parts. */
export const benchFunctions = async (access: LaunchedPlatform["access"]): Promise<void> => {
  const { url, awsEndpoint, region, credentials, stage } = access;
  const http = httpClient(url);
  const { body: registered } = await http.post("/v1/register", {
    body: { organization_name: "Functions", email: "functions@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const token: string = registered.access_token;
  const ids: Record<string, string> = {};
  for (const [file_name, code] of Object.entries(codes)) {
    const record = { name: file_name, file_name, code };
    ids[file_name] = (await http.post("/v1/object/function", { token, body: record, expect: 201 })).body.id;
  }
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = (name: string) => async (): Promise<number> => {
    const sent = JSON.stringify({ function_name: name, inputs: { a: 1, b: 2 } });
    return (await timedPost({ url: `${url}/v1/automation/function`, headers }, sent)).milliseconds;
  };
  const read = (): Promise<number> => timedGet({ url: `${url}/v1/object/function/${ids["plain.py"]}`, headers });

  const lambda = new LambdaClient({ endpoint: awsEndpoint, region, credentials });
  const event = {
    kind: "run",
    form: "function",
    name: "plain.py",
    code: codes["plain.py"],
    kwargs: { a: 1, b: 2 },
    user: { id: "u", name: "U", email: "u@example.test" },
    timeout_ms: 10_000,
    memory_mb: 256,
    context: { url: `${url}/v1/internal/context`, token: "none" },
  };
  const runner = async (): Promise<number> => {
    const start = performance.now();
    const answer = await lambda.send(
      new InvokeCommand({
        FunctionName: `tenantry-${stage}-runner`,
        TenantId: registered.organization_id,
        Payload: Buffer.from(JSON.stringify(event)),
      }),
    );
    const text = Buffer.from(answer.Payload ?? []).toString("utf8");
    if (!text.includes('"completed"')) throw new Error(text);
    return performance.now() - start;
  };

  const whole = await measured(call("plain.py"));
  const [platform, ran] = [await measured(read), await measured(runner)];
  const dispatch = median(whole) - median(platform) - median(ran);
  print("function call, HTTP to HTTP", whole);
  print("  of which platform: a signed request that reads", platform);
  print("  of which runner: an invocation of its Lambda", ran);
  line("  of which dispatch: execution, token, log record", `${dispatch.toFixed(1)} ms`);
  print("function call with 10 context calls", await measured(call("calls.py"), ROUNDS / 4));
  print("function that calls another function", await measured(call("nested.py"), ROUNDS / 4));
  const rate = await perSecond(call("plain.py"), PARALLEL, SECONDS);
  line(`function calls a second, ${PARALLEL} at once`, `${rate.toFixed(0)} / s`);
};
