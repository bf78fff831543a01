import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { Refusal } from "../refusal.ts";

const headSchema = z.strictObject({
  key: z.string(),
  type: z.string(),
  /** In bytes. */
  size: z.number(),
  /** The MD5 of the content, in hexadecimal. */
  etag: z.string(),
  /** CRC-32 in Base64. */
  checksum: z.string(),
  /** Milliseconds since the epoch. */
  modified: z.number(),
});

/** What is known of an object besides its content. */
export type ObjectHead = z.output<typeof headSchema>;

/** A head with the longest key is shorter. */
const HEAD_BYTES = 16 * 1024;
/** Of a file name, on all file systems. */
const LONGEST_NAME = 255;
const SUFFIX = ".object";
const UNFINISHED = "unfinished";

const decodes = new TextDecoder("utf-8", { fatal: true });

/** Letters, digits and `-_~!*'()` stay; a dot does not, so that no name is `..` or ends like an object. */
const encodeName = (part: string): string => (part === "" ? "%" : encodeURIComponent(part).replaceAll(".", "%2E"));

/** Whether the file system can hold a key: no part of it is longer than a file name. */
export const fits = (key: string): boolean =>
  key.split("/").every((part) => encodeName(part).length + SUFFIX.length <= LONGEST_NAME);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

const headOf = (fd: number, file: string): ObjectHead & { readonly start: number } => {
  const bytes = Buffer.alloc(HEAD_BYTES);
  const length = readSync(fd, bytes, 0, HEAD_BYTES, 0);
  const end = bytes.subarray(0, length).indexOf(10);
  try {
    return { ...headSchema.parse(JSON.parse(decodes.decode(bytes.subarray(0, end)))), start: end + 1 };
  } catch {
    throw new Refusal(`The file ${file} is damaged; remove it, or begin anew with npm start -- --reset.`);
  }
};

/**
 * The objects of one bucket. Each is one file: a line of JSON, then the content. A file appears under its name at once
 * and whole, so that a kill leaves the earlier object or the new one.
 */
export const openObjects = (directory: string) => {
  const root = join(directory, "objects");
  const unfinished = join(directory, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });

  const fileOf = (key: string): string => `${join(root, ...key.split("/").map(encodeName))}${SUFFIX}`;

  const head = (key: string): (ObjectHead & { readonly start: number }) | undefined => {
    const file = fileOf(key);
    let fd: number;
    try {
      fd = openSync(file, "r");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      return headOf(fd, file);
    } finally {
      closeSync(fd);
    }
  };

  /** The objects below a folder of the encoded names. */
  function* under(folder: string): Generator<ObjectHead> {
    let entries: ReturnType<typeof readEntries>;
    try {
      entries = readEntries(folder);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* under(path);
      else if (entry.name.endsWith(SUFFIX)) {
        const fd = openSync(path, "r");
        try {
          yield headOf(fd, path);
        } finally {
          closeSync(fd);
        }
      }
    }
  }

  return {
    head,
    read: (key: string): { readonly head: ObjectHead; readonly content: Buffer } | undefined => {
      const found = head(key);
      return found && { head: found, content: readFileSync(fileOf(key)).subarray(found.start) };
    },
    /** False if `onlyNew` and there is one. */
    put: (
      key: string,
      content: Buffer,
      { type, checksum, modified, onlyNew }: Pick<ObjectHead, "type" | "checksum" | "modified"> & { onlyNew: boolean },
    ): string | undefined => {
      const etag = createHash("md5").update(content).digest("hex");
      const written: ObjectHead = { key, type, size: content.length, etag, checksum, modified };
      const draft = join(unfinished, randomUUID());
      const file = fileOf(key);
      writeFileSync(draft, Buffer.concat([Buffer.from(`${JSON.stringify(written)}\n`), content]), { mode: 0o600 });
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      if (!onlyNew) {
        renameSync(draft, file);
        return etag;
      }
      try {
        linkSync(draft, file);
        return etag;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
        throw error;
      } finally {
        rmSync(draft, { force: true });
      }
    },
    remove: (key: string): void => {
      rmSync(fileOf(key), { force: true });
      for (let folder = dirname(fileOf(key)); folder.startsWith(`${root}/`); folder = dirname(folder)) {
        try {
          rmdirSync(folder);
        } catch {
          return;
        }
      }
    },
    /** By key, in the order of their bytes. */
    list: (prefix: string): ObjectHead[] => {
      const folder = join(root, ...prefix.split("/").slice(0, -1).map(encodeName));
      return [...under(folder)]
        .filter(({ key }) => key.startsWith(prefix))
        .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
    },
  };
};

const readEntries = (folder: string) => readdirSync(folder, { withFileTypes: true });

export type Objects = ReturnType<typeof openObjects>;
