import { glob, readFile } from "node:fs/promises";

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** The TypeScript files under some folders, in order. */
export const sources = async (...folders: readonly string[]): Promise<Source[]> => {
  const paths = await Array.fromAsync(glob(folders.map((folder) => `${folder}/**/*.ts`)));
  return Promise.all(paths.sort().map(async (path) => ({ path, text: await readFile(path, "utf8") })));
};

const IMPORT = /(?:from|import\()\s*"([^"]+)"/g;

/** What a file imports, as it is written. */
export const importsOf = ({ text }: Source): string[] => [...text.matchAll(IMPORT)].map((match) => match[1] ?? "");
