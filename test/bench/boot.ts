import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { comparePair } from "./measure.ts";
import { line, ratio } from "./print.ts";

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

const BUNDLE = `import { bundleFunctions } from ${JSON.stringify(join(root, "infra", "bundle.ts"))}; await bundleFunctions();`;

/** Milliseconds of a Node process that compiles all functions and does nothing else. */
const bundling = async (): Promise<number> => {
  const start = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", BUNDLE], { cwd: root, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`bundling ended with ${code}`);
  return performance.now() - start;
};

export const benchBoot = async (directory: string): Promise<void> => {
  const dataDir = join(directory, "boot");
  let port = 39_480;
  const next = (): Promise<number> => {
    port += 1;
    return boot(dataDir, port);
  };
  const first = await next();
  ratio("boot of the whole platform ÷ bundling alone", await comparePair(next, bundling, 6), 2.5);
  line("the very first boot, keys made", `${Math.round(first)} ms`);
};
