import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../failure.ts";
import { isObject, parseJson, textOf } from "../json.ts";

const WORKSPACE_FILE = "tenantry.json";

/** The settings of a folder. They hold no secrets and belong into version control. */
export interface Workspace {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
  readonly organization?: string | undefined;
}

export interface FoundWorkspace extends Workspace {
  readonly path: string;
}

const read = (path: string): FoundWorkspace | undefined => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
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
  };
};

/** The workspace file of this folder, else of the nearest folder above. */
export const findWorkspace = (from = process.cwd()): FoundWorkspace | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = read(join(folder, WORKSPACE_FILE));
    if (found || folder === dirname(folder)) return found;
  }
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
