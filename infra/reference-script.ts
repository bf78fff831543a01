import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { referenceScript } from "#contracts/reference-script";

/**
 * The path of the gzipped script of the reference page, created once in `directory`. @throws Error if the installed
 * package has another file than the reviewed one
 */
export const compressedReferenceScript = (directory: string): string => {
  const { name, source, sha256 } = referenceScript;
  const path = join(directory, `${name}.gz`);
  if (existsSync(path)) return path;
  const contents = readFileSync(join(import.meta.dirname, "../node_modules", source));
  const found = createHash("sha256").update(contents).digest("hex");
  if (found !== sha256) throw new Error(`${source} has the SHA-256 ${found}; shared/contracts expects ${sha256}.`);
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, gzipSync(contents, { level: constants.Z_BEST_COMPRESSION }));
  renameSync(draft, path);
  return path;
};
