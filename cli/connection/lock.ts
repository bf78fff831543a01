import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../failure.ts";

const PATIENCE_MS = 60_000;
/** Longer than whoever holds a lock may take: one call to the platform, or two. */
const ABANDONED_MS = 45_000;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

/** Takes away the lock of a process that was killed. Renaming first lets only one of many do it. */
const clearAbandoned = async (path: string): Promise<void> => {
  try {
    const [holder, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    const pid = Number(holder);
    const abandoned = Date.now() - mtimeMs > ABANDONED_MS || (pid > 0 && !isRunning(pid));
    if (!abandoned) return;
    const aside = `${path}.${process.pid}`;
    await rename(path, aside);
    await rm(aside, { force: true });
  } catch {
    // It has just been released.
  }
};

const take = async (path: string): Promise<boolean> => {
  try {
    const file = await open(path, "wx", 0o600);
    await file.write(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
};

/** Runs the work while no other process of this user does theirs. */
export const withLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const until = Date.now() + PATIENCE_MS;
  while (!(await take(path))) {
    if (Date.now() > until) {
      throw new Failure("failed", `Another tenantry holds ${path}.`, { hint: "If none is running, remove that file." });
    }
    await clearAbandoned(path);
    await pause(20 + Math.random() * 40);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
};
