import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { median } from "./measure.ts";
import { atLeast, line } from "./print.ts";

const CALLS = 500;
const FRESH_CALLS = 20;
const CHECKS = 50;
const LINES = 700;

const code = `import json
from decimal import Decimal

async def execute(platform, **kwargs):
    rows = json.loads(kwargs["rows"])
    total = sum(Decimal(str(row["amount"])) for row in rows)
    platform.log(f"{len(rows)} rows", "info")
    return {"count": len(rows), "total": str(total)}
`;
const inputs = { rows: JSON.stringify(Array.from({ length: 20 }, (_, index) => ({ amount: index + 0.5 }))) };

/** The same function without a sandbox: compiled and run, with a platform that only logs. */
const bare = `import sys, json, time
code, inputs, calls = json.loads(sys.stdin.read())
class Platform:
    def log(self, message, level="info"): pass
def call():
    names = {}
    exec(compile(code, "<function>", "exec"), names)
    try:
        names["execute"](Platform(), **inputs).send(None)
    except StopIteration as end:
        return json.dumps(end.value)
call()
taken = []
for _ in range(calls):
    began = time.perf_counter()
    call()
    taken.append((time.perf_counter() - began) * 1000)
print(json.dumps(taken))
`;

/** The runner as the local runtime starts it. */
class Runner {
  readonly #process: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];

  constructor() {
    const program = join(import.meta.dirname, "../../functions/runner/local.py");
    this.#process = spawn("python3", ["-B", program], { stdio: ["pipe", "pipe", "inherit"] });
    if (this.#process.stdout === null) throw new Error("the runner has no output");
    createInterface({ input: this.#process.stdout }).on("line", (text) => this.#waiting.shift()?.(text));
  }

  /** Milliseconds of one event, and its answer. */
  async ask(event: object): Promise<{ milliseconds: number; answer: Record<string, unknown> }> {
    const began = performance.now();
    const text = await new Promise<string>((resolve) => {
      this.#waiting.push(resolve);
      this.#process.stdin?.write(`${JSON.stringify({ id: "1", event, timeout_ms: 30_000 })}\n`);
    });
    return { milliseconds: performance.now() - began, answer: JSON.parse(text).answer };
  }

  stop(): void {
    this.#process.kill();
  }
}

const runEvent = {
  kind: "run",
  form: "function",
  name: "totals.py",
  code,
  kwargs: inputs,
  user: { id: "1" },
  timeout_ms: 10_000,
  memory_mb: 128,
  context: { url: "http://127.0.0.1:9/", token: "none" },
};

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

/** Runs the function in Python without a sandbox, in a new process. Gives the times within that process. */
const runBare = async (calls: number): Promise<number[]> => {
  const running = promisify(execFile)("python3", ["-I", "-c", bare]);
  running.child.stdin?.end(JSON.stringify([code, inputs, calls]));
  return JSON.parse((await running).stdout);
};

/** Tenants' Python: the runner alone, against a fresh interpreter for each call and against no isolation. */
export const benchRunner = async (): Promise<void> => {
  const runner = new Runner();
  for (let index = 0; index < 50; index += 1) await runner.ask(runEvent);
  const times: number[] = [];
  const began = performance.now();
  for (let index = 0; index < CALLS; index += 1) {
    const { milliseconds, answer } = await runner.ask(runEvent);
    if (answer.status !== "completed") throw new Error(JSON.stringify(answer));
    times.push(milliseconds);
  }
  const seconds = (performance.now() - began) / 1000;
  const figure = (value: number): string => `${value.toFixed(1)} ms`;
  line("function on the runner, p50 / p99", `${figure(median(times))} / ${figure(percentile(times, 0.99))}`);
  line("function on the runner, one after the other", `${(CALLS / seconds).toFixed(0)} calls/s`);

  const fresh: number[] = [];
  for (let index = 0; index < FRESH_CALLS; index += 1) {
    const start = performance.now();
    await runBare(0);
    fresh.push(performance.now() - start);
  }
  const first = median(fresh);
  atLeast("… against a fresh python3 a call", { first, second: median(times), ratio: first / median(times) }, 10);
  const plain = median(await runBare(CALLS));
  line("price of isolation: against exec in one process", `+ ${figure(median(times) - plain)}`);
  line("", `${median(times).toFixed(3)} : ${plain.toFixed(3)} ms`);

  const body = Array.from(
    { length: LINES - 3 },
    (_, index) => `    total += sum(row["amount"] * ${index} for row in rows if row.get("name") != "${index}")\n`,
  );
  const long = `async def execute(platform, rows=(), **kwargs):\n    total = 0\n${body.join("")}    return total\n`;
  const checks: number[] = [];
  for (let index = 0; index < CHECKS; index += 1)
    checks.push((await runner.ask({ kind: "check", form: "function", code: long })).milliseconds);
  const shortChecks: number[] = [];
  for (let index = 0; index < CHECKS; index += 1)
    shortChecks.push((await runner.ask({ kind: "check", form: "function", code })).milliseconds);
  line(`validator, ${LINES} lines`, figure(median(checks)));
  line("… of which process and protocol", figure(median(shortChecks)));
  runner.stop();
};
