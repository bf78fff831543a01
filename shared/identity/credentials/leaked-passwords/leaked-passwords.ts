import { brotliDecompressSync } from "node:zlib";
import { packedPasswords } from "./packed.ts";

/**
 * The most used leaked passwords, and words that many contain, in lower case. A file of its own, so that only functions
 * that set passwords have it in their bundle. It is unpacked for each check, which is much faster than the hashing that
 * follows.
 */
export const leakedPasswords = (): readonly string[] =>
  brotliDecompressSync(Buffer.from(packedPasswords, "base64")).toString("utf8").split("\n");
