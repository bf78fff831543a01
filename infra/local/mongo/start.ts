import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { databaseProgram } from "./program.ts";

export interface EmbeddedMongo {
  readonly uri: string;
  readonly pid: number;
  /** Closes the files in order; resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedMongoOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly log?: (line: string) => void;
}

/**
 * Starts the embedded database as a process of its own, so that its work and ours share no event loop. A parent that dies
 * without stopping it closes the pipe between them, and the database ends by itself.
 */
export async function startEmbeddedMongo({
  dataDir,
  port = 0,
  log = () => undefined,
}: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const program = await databaseProgram();
  const child = spawn(
    process.execPath,
    ["--max-semi-space-size=32", program, "--data", dataDir, "--port", String(port)],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    complaints.push(line);
    if (complaints.length > 50) complaints.shift();
    log(line);
  });
  const uri = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) => resolve((JSON.parse(line) as { uri: string }).uri));
    child.once("error", (error) => reject(new Error(`The embedded database could not be started: ${error.message}`)));
    void exited.then(() =>
      reject(new Error(complaints.join("\n") || "The embedded database ended before it was ready.")),
    );
  });
  return {
    uri,
    pid: child.pid as number,
    async stop() {
      // Whoever stops it waits for it, even with nothing else left to do.
      child.ref();
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
    },
  };
}
