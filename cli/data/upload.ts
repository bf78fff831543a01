import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Platform } from "../connection/platform.ts";
import { path } from "../connection/request.ts";
import { Failure } from "../failure.ts";

/** Bytes: what `POST /v1/documents` takes. */
const LARGEST = 4 * 1024 * 1024;

/** Uploads a file as a document, and gives its id. @throws Failure */
export const uploadFile = async ({ call }: Platform, file: string): Promise<string> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new Failure("usage", missing ? `There is no file ${file}.` : `The file ${file} cannot be read.`);
  });
  if (bytes.length > LARGEST) throw new Failure("usage", `${file} is larger than 4 MiB.`);
  const reply = await call({
    method: "POST",
    path: path`/v1/documents?name=${basename(file)}`,
    bytes: new Uint8Array(bytes),
  });
  return (reply.body as { readonly id: string }).id;
};
