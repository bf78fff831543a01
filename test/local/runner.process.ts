/**
 * A process that runs code without an end in the runner, until it is killed. Its argument marks the runner's
 * environment.
 */
import { resolve } from "node:path";
import { openProcess } from "../../infra/local/lambda/process.ts";

const code = "async def execute(platform, **kwargs):\n    while True:\n        pass\n";
const event = {
  kind: "run",
  form: "function",
  name: "endless.py",
  code,
  kwargs: {},
  user: {},
  timeout_ms: 60_000,
  memory_mb: 128,
  context: { url: "http://127.0.0.1:9/", token: "none" },
};

const environment = openProcess({
  command: ["python3", "-B", "-s", "local.py", String(process.pid)],
  directory: resolve("functions/runner"),
  variables: { PATH: process.env.PATH ?? "", MARK: process.argv[2] ?? "" },
  timeout: 65_000,
  onOutput: () => undefined,
  onEnd: () => undefined,
  onReady: () => environment.run("one", JSON.stringify(event), () => undefined),
});
