import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../start.ts";

/** The token in the last mail to an address that has one. Waits so many milliseconds for it. */
export type ReadMailbox = (email: string, patience: number) => Promise<string | undefined>;

const POLL_MS = 20;

/** The mailboxes of a local platform, which stores each mail as a file. */
export const mailboxOf = ({ dataDir }: Platform): ReadMailbox => {
  const directory = join(dataDir, "mail");
  const tokenOf = (email: string): string | undefined =>
    (existsSync(directory) ? readdirSync(directory).sort() : [])
      .filter((name) => name.endsWith(`-${email}.eml`))
      .map((name) => /Your token is (\S+)/.exec(readFileSync(join(directory, name), "utf8"))?.[1])
      .findLast((token) => token !== undefined);
  return async (email, patience) => {
    for (const end = Date.now() + patience; Date.now() < end; await sleep(POLL_MS)) {
      const token = tokenOf(email);
      if (token !== undefined) return token;
    }
    return undefined;
  };
};
