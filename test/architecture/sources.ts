import { glob, readFile } from "node:fs/promises";

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** The TypeScript files in some folders, sorted. */
export const sources = async (...folders: readonly string[]): Promise<Source[]> => {
  const paths = await Array.fromAsync(glob(folders.map((folder) => `${folder}/**/*.ts`)));
  return Promise.all(paths.sort().map(async (path) => ({ path, text: await readFile(path, "utf8") })));
};

const IMPORT = /(?:from|import\()\s*"([^"]+)"/g;

/** The imports of a file, as written. */
export const importsOf = ({ text }: Source): string[] => [...text.matchAll(IMPORT)].map((match) => match[1] ?? "");
