import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";

const patiently = { timeout: 240_000 };

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
};

interface Process {
  readonly pid: string;
  readonly parent: string | undefined;
}

/** All processes, without those that have ended and that nobody has reaped. */
const processes = (): Process[] =>
  readdirSync("/proc").flatMap((pid) => {
    const [state, parent] = /^\d+$/.test(pid) ? (read(pid, "stat").split(") ").at(-1)?.split(" ") ?? []) : [];
    return state === undefined || state === "Z" ? [] : [{ pid, parent }];
  });

const childOf = ({ pid }: Process): Process => {
  const found = processes().find(({ parent }) => parent === pid);
  if (found === undefined) throw new Error(`The process ${pid} has no child.`);
  return found;
};

test.runIf(process.platform === "linux")(
  "code that runs ends soon after the platform was killed, with everything that the runner has started",
  async () => {
    const mark = randomUUID();
    const host = spawn(process.execPath, [join(import.meta.dirname, "runner.process.ts"), mark], { stdio: "ignore" });
    onTestFinished(() => void host.kill("SIGKILL"));
    const runs = await vi.waitFor(() => {
      const supervisor = processes().find(({ pid }) => read(pid, "environ").includes(`MARK=${mark}`));
      if (supervisor === undefined) throw new Error("The runner has not started.");
      const zygote = childOf(supervisor);
      expect(read(zygote.pid, "cmdline")).toContain("zygote.py");
      return [supervisor, zygote, childOf(zygote)].map(({ pid }) => pid);
    }, patiently);
    const left = () => processes().filter(({ pid }) => runs.includes(pid));
    onTestFinished(() => {
      for (const { pid } of left()) process.kill(Number(pid), "SIGKILL");
    });
    host.kill("SIGKILL");
    await vi.waitFor(() => expect(left()).toEqual([]), patiently);
  },
);
