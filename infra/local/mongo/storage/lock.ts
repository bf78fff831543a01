import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Locks a data directory for this process. The lock of a dead process is taken over. */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, "lock");
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST") || attempt > 2) throw error;
      const owner = Number(readFileSync(path, "utf8"));
      if (owner !== process.pid && isAlive(owner)) {
        throw new DirectoryInUse(`The data directory ${directory} is in use by process ${owner}.`);
      }
      rmSync(path, { force: true });
    }
  }
}

export class DirectoryInUse extends Error {}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
