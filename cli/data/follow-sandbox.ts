import { setTimeout as pause } from "node:timers/promises";
import type { Sandbox } from "../connection/access.ts";
import type { Platform } from "../connection/platform.ts";
import { path, type Request } from "../connection/request.ts";
import { exitCodes, Failure } from "../failure.ts";
import { stepBar } from "../terminal/progress.ts";
import { say } from "../terminal/terminal.ts";
import { plain } from "../terminal/text.ts";

const POLL_MS = 1_000;

/** The sandbox; undefined if there is none. */
export const readSandbox = async ({ call }: Platform, name: string): Promise<Sandbox | undefined> => {
  try {
    return (await call({ method: "GET", path: path`/v1/sandbox/${name}`, repeatable: true })).body as Sandbox;
  } catch (error) {
    if (error instanceof Failure && error.details.code === "sandbox_not_found") return undefined;
    throw error;
  }
};

const isRunning = ({ status }: Sandbox): boolean =>
  status === "provisioning" || status === "refreshing" || status === "deleting";

export interface Operation {
  readonly name: string;
  /** For the bar: `Creating`. */
  readonly verb: string;
  readonly request: Request;
  /** False: only until the platform has begun. */
  readonly wait: boolean;
}

/** @throws Failure with the platform's reason if the operation failed */
export const requireSuccess = (sandbox: Sandbox): Sandbox => {
  const { sandbox_name, failure } = sandbox;
  if (failure === null) return sandbox;
  const { operation, step, reason } = failure;
  throw new Failure("refused", `The ${operation} of ${sandbox_name} failed at ${plain(step)}: ${plain(reason)}`, {
    hint: `Its state: tenantry sandbox get ${sandbox_name}`,
  });
};

/** Shows the sandbox's progress until the signal. */
const watch = async (
  platform: Platform,
  name: string,
  show: (sandbox: Sandbox) => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    // The request itself tells what is wrong.
    const sandbox = await readSandbox(platform, name).catch(() => undefined);
    if (sandbox && isRunning(sandbox) && !signal.aborted) show(sandbox);
  }
};

/** Ctrl-C ends the command alone. */
const leaveOnInterrupt = (name: string, stop: () => void): (() => void) => {
  const leave = (): void => {
    stop();
    say(`The platform goes on with it. How far is it? tenantry sandbox get ${name}`);
    process.exit(exitCodes.interrupted);
  };
  process.on("SIGINT", leave);
  return () => process.off("SIGINT", leave);
};

/** An operation that was registered begins later, if the platform's services do not answer now. */
const begin = async (platform: Platform, name: string, request: Request): Promise<void> => {
  try {
    await platform.call({ ...request, retries: 0 });
  } catch (error) {
    const isLate = error instanceof Failure && error.details.code === "dependency_unavailable";
    const sandbox = isLate ? await readSandbox(platform, name) : undefined;
    if (sandbox === undefined || !isRunning(sandbox)) throw error;
  }
};

/**
 * Begins an operation on a sandbox and waits for its end, with a progress bar. The platform's reply comes after some
 * seconds at the latest; afterwards it is asked. Gives the sandbox as it is then: undefined if there is none.
 */
export const runOperation = async (
  platform: Platform,
  { name, verb, request, wait }: Operation,
): Promise<Sandbox | undefined> => {
  const bar = await stepBar(`${verb} ${name}`);
  const stay = leaveOnInterrupt(name, bar.stop);
  const replied = new AbortController();
  const show = ({ progress }: Sandbox): void => bar.show(progress);
  const watching = watch(platform, name, show, replied.signal);
  try {
    await begin(platform, name, request).finally(() => replied.abort());
    await watching;
    let sandbox = await readSandbox(platform, name);
    while (wait && sandbox !== undefined && isRunning(sandbox)) {
      show(sandbox);
      await pause(POLL_MS);
      sandbox = await readSandbox(platform, name);
    }
    return sandbox;
  } finally {
    bar.stop();
    stay();
  }
};
