import { readFileSync } from "node:fs";
import { readFile, realpath, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../failure.ts";
import { isObject, type Json, parseJson, textOf } from "../json.ts";

const WORKSPACE_FILE = "tenantry.json";

/** The names that the platform accepts for sandboxes. */
export const isSandboxName = (value: unknown): value is string =>
  typeof value === "string" && /^[a-z0-9_]{1,40}$/.test(value);

/** The settings of a folder. They hold no secrets and belong into version control. */
export interface Workspace {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
  readonly organization?: string | undefined;
  /** The name of the organization's sandbox that commands work in. */
  readonly sandbox?: string | undefined;
}

export interface FoundWorkspace extends Omit<Workspace, "sandbox"> {
  readonly path: string;
  /** As it is in the file; `sandboxOf` checks it. */
  readonly sandbox?: unknown;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

const read = (path: string): FoundWorkspace | undefined => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new Failure("usage", `${path} cannot be read.`, { hint: "It says where commands work. Make it readable." });
  }
  const content = parseJson(text);
  if (!isObject(content)) {
    throw new Failure("usage", `${path} is not a JSON object.`, {
      hint: "Correct it, or write it anew: tenantry init --force",
    });
  }
  return {
    path,
    profile: textOf(content.profile),
    url: textOf(content.url),
    organization: textOf(content.organization),
    sandbox: content.sandbox,
  };
};

/** The workspace file of this folder, else of the nearest folder above. */
export const findWorkspace = (from = process.cwd()): FoundWorkspace | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = read(join(folder, WORKSPACE_FILE));
    if (found || folder === dirname(folder)) return found;
  }
};

/** The name of the workspace's sandbox. @throws Failure for any other value: the command would run in production */
export const sandboxOf = ({ path, sandbox }: FoundWorkspace): string | undefined => {
  if (sandbox === undefined || isSandboxName(sandbox)) return sandbox;
  throw new Failure("usage", `In ${path}: sandbox is not the name of a sandbox.`, {
    hint: "Name one: tenantry sandbox use <name>. Or remove the key: tenantry sandbox use-parent",
  });
};

/** Writes the file into the current folder, and gives its path. */
export const writeWorkspace = async (workspace: Workspace, overwrite: boolean): Promise<string> => {
  const path = join(process.cwd(), WORKSPACE_FILE);
  try {
    await writeFile(path, `${JSON.stringify(workspace, undefined, 2)}\n`, { flag: overwrite ? "w" : "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new Failure("usage", `${path} exists already.`, { hint: "Replace it: tenantry init --force" });
  }
  return path;
};

/** Sets or removes the key `sandbox`; the other keys stay. Atomic, because other commands may be starting. */
export const writeSandbox = async (path: string, sandbox: string | undefined): Promise<void> => {
  const file = await realpath(path);
  const { sandbox: _, ...others } = parseJson(await readFile(file, "utf8")) as Json;
  const unfinished = `${file}.${process.pid}.next`;
  await writeFile(unfinished, `${JSON.stringify({ ...others, sandbox }, undefined, 2)}\n`);
  await rename(unfinished, file);
};
