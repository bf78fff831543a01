import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../failure.ts";

const PATIENCE_MS = 60_000;
/** Longer than a lock is held, which is for one or two calls to the platform. */
const ABANDONED_MS = 45_000;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

/** Removes the lock of a killed process. The rename succeeds for one process only. */
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
    // It was released meanwhile.
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

/** Runs the work under a lock among this user's processes. */
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
