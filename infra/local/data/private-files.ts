import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as z from "zod";
import { Refusal } from "../refusal.ts";

/** Small JSON files for keys and secrets, readable by this user only (mode 600), written atomically. */
export const privateFiles = (directory: string) => {
  const pathOf = (name: string): string => join(directory, name);
  return {
    /** The file's content; undefined if it does not exist. Invalid content is a refusal that names the file. */
    read: <S extends z.ZodType>(name: string, schema: S): z.output<S> | undefined => {
      let text: string;
      try {
        text = readFileSync(pathOf(name), "utf8");
      } catch {
        return undefined;
      }
      try {
        return schema.parse(JSON.parse(text));
      } catch {
        throw new Refusal(
          `The file ${pathOf(name)} is damaged; put back a copy of it, or begin anew with npm start -- --reset.`,
        );
      }
    },
    write: (name: string, content: unknown): void => {
      mkdirSync(dirname(pathOf(name)), { recursive: true, mode: 0o700 });
      const unfinished = `${pathOf(name)}.${process.pid}.next`;
      writeFileSync(unfinished, JSON.stringify(content, undefined, 2), { mode: 0o600, flush: true });
      renameSync(unfinished, pathOf(name));
    },
  };
};

export type PrivateFiles = ReturnType<typeof privateFiles>;
