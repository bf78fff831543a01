import { brotliDecompressSync } from "node:zlib";
import { packedPasswords } from "./packed.ts";

/**
 * The leaked passwords most used, and words that many are made of, in lower case. A domain of its own, so that only functions that
 * set passwords carry the list; it is unpacked for each that is set, which takes a fraction of the time that hashing it does.
 */
export const leakedPasswords = (): readonly string[] =>
  brotliDecompressSync(Buffer.from(packedPasswords, "base64")).toString("utf8").split("\n");
