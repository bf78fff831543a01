import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { Refusal } from "../refusal.ts";

const lockContent = z.looseObject({ pid: z.number(), port: z.number() });

const marker = "tenantry-data.json";
const lockName = "running.json";

/**
 * Opens and locks the data directory of one running platform until `release`. Refuses a directory with other contents,
 * one in use, and one that is not writable. `port` is a loopback port of this process, which tells a live lock from a
 * stale one.
 */
export const openDataDirectory = async (path: string, options: { port: number; reset?: boolean }) => {
  const directory = resolve(path);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Refusal(`The data directory ${directory} cannot be created: ${messageOf(error)}.`);
  }
  const isOurs = existsSync(join(directory, marker));
  if (!isOurs && readdirSync(directory).length > 0) {
    throw new Refusal(`${directory} holds other files; choose an empty directory for the data with DATA_DIR=….`);
  }
  await lock(directory, options.port);
  if (options.reset) {
    for (const name of readdirSync(directory)) {
      if (name !== lockName && name !== marker) rmSync(join(directory, name), { recursive: true, force: true });
    }
  }
  if (!isOurs) writeExclusively(join(directory, marker), JSON.stringify({ format: 1 }));
  else checkFormat(directory);
  return { directory, release: (): void => rmSync(join(directory, lockName), { force: true }) };
};

const checkFormat = (directory: string): void => {
  const file = join(directory, marker);
  try {
    z.object({ format: z.literal(1) }).parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    rmSync(join(directory, lockName), { force: true });
    throw new Refusal(`The file ${file} is damaged; write {"format":1} to it, or begin anew with an empty DATA_DIR.`);
  }
};

const lock = async (directory: string, port: number): Promise<void> => {
  const file = join(directory, lockName);
  const content = JSON.stringify({ pid: process.pid, port });
  if (writeExclusively(file, content)) return;
  if (await holderLives(file)) {
    throw new Refusal(
      `Another platform is running on the data in ${directory}; stop it first, or choose another place with DATA_DIR=….`,
    );
  }
  rmSync(file, { force: true });
  if (!writeExclusively(file, content)) throw new Refusal(`Another platform has just been started on ${directory}.`);
};

/** Whether the process of the lock still listens. A process id alone may have been reused. */
const holderLives = async (file: string): Promise<boolean> => {
  try {
    const { pid, port } = lockContent.parse(JSON.parse(readFileSync(file, "utf8")));
    process.kill(pid, 0);
    return await Promise.race([listens(port), setTimeout(1000, false, { ref: false })]);
  } catch {
    return false;
  }
};

const listens = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => answer(false));
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
  });

const writeExclusively = (file: string, content: string): boolean => {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw new Refusal(`The data directory cannot be written: ${messageOf(error)}.`);
  }
  writeSync(descriptor, content);
  closeSync(descriptor);
  return true;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
