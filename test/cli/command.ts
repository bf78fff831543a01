import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { platformUrl, type User } from "../platform.ts";

const root = join(import.meta.dirname, "../..");
const launcher = inject("command");

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface Step {
  readonly expect: string;
  readonly send?: string;
  /** Types the contents of this file when it exists. */
  readonly file?: string;
}

/** A person's machine, with its own home and without this environment's variables. */
export interface Machine {
  readonly home: string;
  readonly credentialsPath: string;
  /** Runs in a pipe. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Runs in a shell, with `tenantry` on the path, in a pipe. */
  shell(line: string, options?: RunOptions): Promise<Run>;
  /** Runs on a terminal of 80 columns, whose output is `stdout`. */
  onTerminal(
    args: readonly string[],
    options?: RunOptions & { steps?: readonly Step[]; columns?: number },
  ): Promise<Run>;
  /** Runs in a shell on a terminal of 80 columns. */
  shellOnTerminal(line: string, options?: RunOptions & { steps?: readonly Step[] }): Promise<Run>;
  credentials(): Promise<{ current: string; profiles: Record<string, StoredProfile> }>;
}

interface StoredProfile {
  readonly url: string;
  readonly email: string;
  readonly refresh_token?: string;
  readonly access_tokens: Record<string, string>;
}

const execute = (
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  options: RunOptions,
): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd ?? env.HOME, env: { ...env, ...options.env } });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.stdin ?? "");
  });

const withCommand = (line: string): string => `tenantry() { node ${launcher} "$@"; }\n${line}`;

const terminal = (columns: number, steps: readonly Step[]): string[] => [
  join(import.meta.dirname, "terminal.py"),
  String(columns),
  JSON.stringify(steps),
];

export const machine = async (): Promise<Machine> => {
  const home = await mkdtemp(join(tmpdir(), "tenantry-cli-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const bin = join(root, "node_modules/.bin");
  const env = {
    HOME: home,
    PATH: `${home}/bin:${bin}:${process.env.PATH ?? ""}`,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    // Opening a browser does nothing.
    BROWSER: "true",
  };
  const credentialsPath = join(home, ".config/tenantry/credentials.json");
  return {
    home,
    credentialsPath,
    run: (args, options = {}) => execute(process.execPath, [launcher, ...args], env, options),
    shell: (line, options = {}) => execute("bash", ["-c", withCommand(line)], env, options),
    onTerminal: (args, { steps = [], columns = 80, ...options } = {}) =>
      execute("python3", [...terminal(columns, steps), process.execPath, launcher, ...args], env, options),
    shellOnTerminal: (line, { steps = [], ...options } = {}) =>
      execute("python3", [...terminal(80, steps), "bash", "-c", withCommand(line)], env, options),
    credentials: async () => JSON.parse(await readFile(credentialsPath, "utf8")),
  };
};

/** A machine where that person is signed in. */
export const signedInMachine = async (user: User): Promise<Machine> => {
  const created = await machine();
  const { code, stderr } = await created.run(["login", "--password", "--email", user.email, "--url", platformUrl], {
    stdin: `${user.password}\n`,
  });
  if (code !== 0) throw new Error(stderr);
  return created;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

export const withoutColours = (text: string): string => text.replace(escapes, "");
