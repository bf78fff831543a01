import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { stub } from "./stub.ts";

/** The name of the stub for editors, which is never pushed. */
const STUB = "tenantry.pyi";

/** The files that are named, else all of the folder with this ending, in order. @throws Failure if there are none */
export const chosenFiles = async (
  files: readonly string[],
  folder: string,
  ending: ".py" | ".json",
): Promise<readonly string[]> => {
  if (files.length > 0) return files;
  const names = await readdir(folder).catch(() => []);
  const found = names.filter((name) => name.endsWith(ending)).sort();
  if (found.length > 0) return found.map((name) => join(folder, name));
  throw new Failure("usage", `There are no ${ending} files in ${folder}.`, {
    hint: "Name the files, or the folder with --dir.",
  });
};

const isPresent = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EEXIST";

/** Writes a new file, and beside it the stub with the types of the platform. @throws Failure if the file exists */
export const writeScript = async (folder: string, file_name: string, code: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, file_name);
  try {
    await writeFile(path, code, { flag: "wx" });
  } catch (error) {
    throw isPresent(error) ? new Failure("usage", `There is a file ${path} already.`) : error;
  }
  await writeFile(join(folder, STUB), stub);
  return path;
};
