import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Memory {
  /** MB used by each process. */
  readonly platform: number;
  readonly database: number;
}

export interface SoakedPlatform {
  readonly url: string;
  memory(): Promise<Memory>;
  stop(): Promise<void>;
}

const megabytes = (kilobytes: string | undefined): number => Math.round(Number(kilobytes ?? 0) / 1024);

export const startSoaked = async (dataDir: string): Promise<SoakedPlatform> => {
  const child = fork(join(import.meta.dirname, "platform.process.ts"), [dataDir]);
  const ended = once(child, "exit");
  const [access] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) => {
      throw new Error(`The platform ended with ${code} before it was ready.`);
    }),
  ])) as [{ url: string }];
  const memory = async (): Promise<Memory> => {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss=,args="]);
    const processes = stdout.split("\n").map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
    const own = processes.find(([, pid]) => Number(pid) === child.pid);
    const database = processes.find(
      ([, , parent, , command]) => Number(parent) === child.pid && command?.includes("tenantry-database"),
    );
    return { platform: megabytes(own?.[3]), database: megabytes(database?.[3]) };
  };
  return {
    url: access.url,
    memory,
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};
