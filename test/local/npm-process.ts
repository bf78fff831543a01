import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** A free port below those that systems give to outgoing connections: nobody takes it before the platform does. */
const freePort = async (): Promise<number> => {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free ? port : freePort();
};

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
};

/** Runs a script of package.json as a terminal does: npm leads a process group. */
export const runScript = async (script: "start" | "demo", environment: Readonly<Record<string, string>>) => {
  const port = await freePort();
  const mark = `TENANTRY_TEST_RUN=${script}-${process.pid}-${port}`;
  const [name = "", value = ""] = mark.split("=");
  const npm: ChildProcess = spawn("npm", ["run", script], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), [name]: value, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const ended = once(npm, "exit");
  /** When every process that writes to its output has ended, and all of the output was read. */
  const closed = once(npm, "close");
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));

  /** Every process that it started, directly or indirectly, whoever its parent is now. */
  const processes = (): { pid: number; command: string }[] =>
    readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid) && read(pid, "environ").split("\0").includes(mark))
      .map((pid) => ({ pid: Number(pid), command: read(pid, "cmdline").replaceAll("\0", " ") }));
  const pidOf = (part: string): number => {
    const found = processes().find(({ command }) => command.includes(part) && !command.startsWith("npm"));
    if (found === undefined) throw new Error(`No process of it has ${part} in its command.`);
    return found.pid;
  };
  onTestFinished(() => {
    for (const { pid } of processes()) process.kill(pid, "SIGKILL");
  });
  return {
    url: `http://127.0.0.1:${port}`,
    npm,
    ended,
    output: () => output,
    killGroup: (signal: NodeJS.Signals) => process.kill(-(npm.pid as number), signal),
    platform: (): number => pidOf(`infra/${script}.ts --parent`),
    database: (): number => pidOf("tenantry-database"),
    /** Fails with the output so far if it does not come. */
    until: async (what: () => unknown): Promise<void> => {
      try {
        await expect.poll(what).toBeTruthy();
      } catch (cause) {
        throw new Error(`It did not come to this. ${script} printed:\n${output}`, { cause });
      }
    },
    /** Far longer than it takes, and shorter than the time limits that might be waited for. */
    gone: async (): Promise<void> => {
      await expect.poll(processes, { interval: 100 }).toEqual([]);
      await closed;
    },
  };
};
