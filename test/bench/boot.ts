import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { median } from "./measure.ts";
import { line } from "./print.ts";

const root = join(import.meta.dirname, "..", "..");

/** Milliseconds from the start of the process until the health route answers. */
const boot = async (dataDir: string, port: number): Promise<number> => {
  const start = performance.now();
  const child: ChildProcess = spawn(process.execPath, [join(root, "infra", "start.ts"), "--port", String(port)], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ["pipe", "ignore", "inherit"],
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the platform ended with ${child.exitCode}`);
    const up = await fetch(`http://127.0.0.1:${port}/v1/status`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (up) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const milliseconds = performance.now() - start;
  child.kill("SIGTERM");
  await once(child, "exit");
  return milliseconds;
};

export const benchBoot = async (directory: string): Promise<void> => {
  const dataDir = join(directory, "boot");
  const first = await boot(dataDir, 39_480);
  const again: number[] = [];
  for (let index = 0; index < 5; index += 1) again.push(await boot(dataDir, 39_481 + index));
  const verdict = median(again) <= 2_500 ? "met" : "missed";
  line(
    "boot of the whole platform, bundling included",
    `${Math.round(median(again))} ms`,
    `target ≤ 2500 ms ${verdict}`,
  );
  line("the very first boot, keys made", `${Math.round(first)} ms`);
};
