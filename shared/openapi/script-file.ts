import { readFile } from "node:fs/promises";
import { referenceScript } from "#contracts/reference-script";

let contents: Promise<Uint8Array> | undefined;

/** The gzipped script of the reference page; null under another name. The build puts it beside the bundle. */
export const scriptFile = async (name: string): Promise<Uint8Array | null> => {
  if (name !== referenceScript.name) return null;
  contents ??= readFile(new URL(`./${name}.gz`, import.meta.url));
  return contents;
};
