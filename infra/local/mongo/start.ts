import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { databaseProgram } from "./program.ts";

export interface EmbeddedMongoOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly log?: (line: string) => void;
}

/** A database that is starting or runs. */
export interface OpenedMongo {
  /** Its URI; fails when it cannot start. */
  readonly ready: Promise<{ uri: string; pid: number }>;
  /** Resolves with its last error output when the process has ended. */
  readonly ended: Promise<string>;
  /**
   * Closes the files, and resolves when the process has ended. After `patience` milliseconds the process is killed,
   * which loses no acknowledged write.
   */
  stop(waitForTransaction?: number): Promise<void>;
}

export interface EmbeddedMongo {
  readonly uri: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database as a process with an event loop of its own. If the parent dies without stopping it, the
 * pipes between them close and the database ends.
 */
export const openEmbeddedMongo = (options: EmbeddedMongoOptions): OpenedMongo => {
  const { log = () => undefined } = options;
  const complaints: string[] = [];
  const abandoned = new AbortController();
  const spawning = databaseProgram().then((program) => {
    abandoned.signal.throwIfAborted();
    return spawnProgram(program, options);
  });
  const ended = spawning.then(async (child) => {
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) => {
      complaints.push(line);
      if (complaints.length > 50) complaints.shift();
      log(line);
    });
    await new Promise<void>((resolve) => child.once("close", () => resolve()));
    return complaints.join("\n");
  });
  // `ready` reports the failure.
  ended.catch(() => undefined);
  return {
    ready: spawning.then((child) => addressOf(child, ended)),
    ended,
    stop: async (waitForTransaction) => {
      abandoned.abort();
      const child = await spawning.catch(() => undefined);
      if (child === undefined) return;
      // The caller waits for the end, even if nothing else keeps the process alive.
      child.ref();
      if (isAlive(child)) child.kill("SIGTERM");
      if (waitForTransaction !== undefined) {
        await Promise.race([ended, setTimeout(waitForTransaction, undefined, { ref: false })]);
        if (isAlive(child)) child.kill("SIGKILL");
      }
      await ended;
    },
  };
};

/** Starts the database and waits until it is ready. */
export const startEmbeddedMongo = async (options: EmbeddedMongoOptions): Promise<EmbeddedMongo> => {
  const { ready, stop } = openEmbeddedMongo(options);
  return { ...(await ready), stop: () => stop() };
};

/**
 * The database has its own process group: a signal to the parent's group (Ctrl-C, a closed terminal) must not end it
 * before the requests that use it.
 */
const spawnProgram = (program: string, { dataDir, port = 0 }: EmbeddedMongoOptions): ChildProcess => {
  const options = ["--max-semi-space-size=32", program, "--data", dataDir, "--port", String(port)];
  const child = spawn(process.execPath, options, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  if (child.pid !== undefined) guard(child, child.pid);
  return child;
};

/** Waits for the end of its standard input, gives the database a second to close its files, and kills it. */
const afterTheParent = 'read _; for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" || exit; sleep 0.1; done; kill -9 "$1"';

/**
 * A busy database may not notice that its parent has died. This shell of one megabyte notices, and kills it.
 * Acknowledged writes are already in the journals.
 */
const guard = (child: ChildProcess, pid: number): void => {
  const shell = spawn("/bin/sh", ["-c", afterTheParent, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  child.once("exit", () => shell.kill("SIGKILL"));
};

const addressOf = (child: ChildProcess, ended: Promise<string>): Promise<{ uri: string; pid: number }> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", (line) => {
      const { uri } = JSON.parse(line) as { uri: string };
      resolve({ uri, pid: child.pid as number });
    });
    child.once("error", (error) => reject(new Error(`The embedded database could not be started: ${error.message}`)));
    void ended.then((complaints) =>
      reject(new Error(complaints || "The embedded database ended before it was ready.")),
    );
  });

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;
