import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type * as z from "zod";
import type { beginLocalExecution } from "#contracts/local-executions";
import type { RunAnswer } from "#contracts/runner";
import type { Platform } from "../connection/platform.ts";
import { send } from "../connection/request.ts";
import { Failure } from "../failure.ts";
import { isObject, type Json, parseJson } from "../json.ts";
import { say, warn } from "../terminal/terminal.ts";
import { logLine } from "./executions.ts";
import type { Script } from "./script.ts";

type Begun = z.output<(typeof beginLocalExecution)["replies"][201]["body"]>;

/** Beside the bundle of a package, and in `functions/runner` of a clone. */
const runner = (): string => {
  const places = ["runner", "../../functions/runner"].map((place) => join(import.meta.dirname, place));
  const found = places.find((place) => existsSync(join(place, "develop.py")));
  if (found === undefined) throw new Failure("failed", "The runner of functions is not in this package.");
  return join(found, "develop.py");
};

const begin = async ({ call }: Platform, { file_name }: Script, inputs: Json): Promise<Begun> => {
  const json = { function_name: file_name, inputs };
  return (await call({ method: "POST", path: "/v1/automation/executions", json })).body as Begun;
};

const end = async ({ target }: Platform, { token }: Begun, answer: RunAnswer): Promise<void> => {
  const path = "/v1/internal/executions/end";
  const { status } = await send(target.url, { method: "POST", path, json: answer, repeatable: true }, token);
  if (status !== 204) warn("The platform has not taken the log of this execution.");
};

const eventOf = ({ target }: Platform, { file_name, code }: Script, inputs: Json, begun: Begun) => ({
  kind: "run",
  form: "function",
  name: file_name,
  code,
  kwargs: inputs,
  user: begun.user,
  timeout_ms: begun.timeout_ms,
  memory_mb: 256,
  // By the address that this command uses, which a proxy may have.
  context: { url: `${target.url}${new URL(begun.context_url).pathname}`, token: begun.token },
});

const killed = (message: string): RunAnswer => ({
  status: "failed",
  error: { kind: "killed", type: "Killed", message },
  lines: [],
  lines_cut: false,
  calls: 0,
  duration_ms: 0,
});

/** Runs the code in Python processes of this machine, and shows its log as it is written. */
const execute = (event: object): Promise<RunAnswer> =>
  new Promise((resolve, reject) => {
    const child = spawn("python3", [runner()], { stdio: ["pipe", "pipe", "inherit"] });
    let answer: RunAnswer | undefined;
    child.on("error", () => {
      reject(new Failure("failed", "python3 cannot be started.", { hint: "Install Python 3.11 or later." }));
    });
    createInterface({ input: child.stdout }).on("line", (text) => {
      const message = parseJson(text);
      if (!isObject(message)) return;
      if (isObject(message.line)) say(logLine(message.line));
      else if (isObject(message.answer)) answer = message.answer as RunAnswer;
    });
    child.on("close", () => resolve(answer ?? killed("The runner ended without an answer.")));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(event));
  });

/** Runs a file here, with calls to the platform in the name of the person. Gives how it ended. */
export const runHere = async (platform: Platform, script: Script, inputs: Json): Promise<RunAnswer> => {
  const begun = await begin(platform, script, inputs);
  const answer = await execute(eventOf(platform, script, inputs, begun)).catch(async (error: unknown) => {
    await end(platform, begun, killed("The runner could not be started."));
    throw error;
  });
  await end(platform, begun, answer);
  return answer;
};
