import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LaunchedPlatform, LaunchOptions } from "./launch-platform.ts";

/** Without functions, because they are sent to another process. */
type ProcessOptions = Omit<LaunchOptions, "log" | "clock" | "beforeCall">;

export interface PlatformProcess {
  readonly access: LaunchedPlatform["access"];
  /** Sends SIGKILL, and resolves when the process has ended. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs `launchPlatform` in a process of its own, so that a test can kill it. */
export const startPlatformProcess = async (options: ProcessOptions): Promise<PlatformProcess> => {
  const script = join(import.meta.dirname, "launch.process.ts");
  const child = fork(script, { stdio: "inherit", serialization: "advanced" });
  const ended = once(child, "exit");
  child.send(options);
  const failed = ended.then(([code, signal]) => {
    throw new Error(`The platform ended with ${code ?? signal} before it was ready.`);
  });
  const [access] = (await Promise.race([once(child, "message"), failed])) as [LaunchedPlatform["access"]];
  failed.catch(() => undefined);
  return {
    access,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};
