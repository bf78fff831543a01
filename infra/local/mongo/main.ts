import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type RunningServer, type ServerOptions, startServer } from "./server.ts";
import { DamagedFile } from "./storage/journal.ts";
import { DirectoryInUse } from "./storage/lock.ts";

const { values } = parseArgs({ options: { data: { type: "string" }, port: { type: "string", default: "0" } } });

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (values.data === undefined) fail("usage: main.ts --data DIRECTORY [--port PORT]");
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65535) fail(`--port must be a port number, not ${values.port}`);

/** A previous database process whose parent was killed may still be closing its files. */
const startAfter = async (options: ServerOptions): Promise<RunningServer> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startServer(options);
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || attempt === 15) throw error;
      await setTimeout(100);
    }
  }
};

try {
  const server = await startAfter({
    directory: values.data,
    port,
    log: (line) => process.stderr.write(`${line}\n`),
    onFailure: (error) =>
      fail(
        `The embedded database cannot write to ${values.data}: ${error instanceof Error ? error.message : String(error)}`,
      ),
  });
  let closing = false;
  const close = (): void => {
    if (closing) return;
    closing = true;
    server.close().then(
      () => process.exit(0),
      (error: unknown) => fail(`The embedded database could not close its files: ${String(error)}`),
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, close);
  // The parent holds the other end of stdin. It closes when the parent dies.
  process.stdin.on("end", close).on("error", close).resume();
  process.stdout.on("error", close);
  process.stdout.write(`${JSON.stringify({ uri: server.uri })}\n`);
} catch (error) {
  if (error instanceof DamagedFile || error instanceof DirectoryInUse) fail(error.message);
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") fail(`Port ${port} is in use.`);
  fail(
    `The embedded database could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
}
