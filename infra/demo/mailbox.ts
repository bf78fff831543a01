import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../start.ts";

/** The token in the last mail to an address that has one. */
export type ReadMailbox = (email: string) => string | undefined;

/** The mailboxes of a local platform, which stores each mail as a file. */
export const mailboxOf = ({ dataDir }: Platform): ReadMailbox => {
  const directory = join(dataDir, "mail");
  return (email) =>
    (existsSync(directory) ? readdirSync(directory).sort() : [])
      .filter((name) => name.endsWith(`-${email}.eml`))
      .map((name) => /Your token is (\S+)/.exec(readFileSync(join(directory, name), "utf8"))?.[1])
      .findLast((token) => token !== undefined);
};
