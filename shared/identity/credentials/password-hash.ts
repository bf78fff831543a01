import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import * as z from "zod";
import { env } from "#shared/foundation/env";

const derive = promisify(argon2);

/** Costs of one hash: KiB of memory, passes over it, lanes. */
export interface HashCosts {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

interface StoredHash extends HashCosts {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** OWASP Password Storage Cheat Sheet, argon2id. Hashes of other costs are replaced at the next sign-in. */
const STRONG: HashCosts = { memory: 19_456, passes: 2, parallelism: 1 };
/** The least that argon2 allows. For the stage of the test suite only. */
const WEAK: HashCosts = { memory: 8, passes: 1, parallelism: 1 };
const currentCosts = (): HashCosts => (env.passwordHashesAreWeak() ? WEAK : STRONG);

const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** PHC strings use base64 without padding. */
const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

export const encodeHash = ({ memory, passes, parallelism, salt, key }: StoredHash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(key)}`;

const phc = z
  .string()
  .regex(/^\$argon2id\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,3}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/)
  .transform((text): StoredHash => {
    const [, , , costs = "", salt = "", key = ""] = text.split("$");
    const [memory = 0, passes = 0, parallelism = 0] = costs.split(",").map((cost) => Number(cost.slice(2)));
    return { memory, passes, parallelism, salt: Buffer.from(salt, "base64"), key: Buffer.from(key, "base64") };
  });

/** Reads a PHC string, as in https://github.com/P-H-C/phc-string-format. The error does not contain the hash. */
export const decodeHash = (text: string): StoredHash => {
  const parsed = phc.safeParse(text);
  if (!parsed.success) throw new Error("A stored password hash is not an argon2id PHC string.");
  return parsed.data;
};

/** Unicode has several encodings of one character, and keyboards differ (NIST SP 800-63B §3.1.1.2). */
const message = (password: string): Buffer => Buffer.from(password.normalize("NFC"), "utf8");

const keyOf = (password: string, costs: HashCosts, salt: Buffer, tagLength: number): Promise<Buffer> => {
  const parameters: Argon2Parameters = { ...costs, message: message(password), nonce: salt, tagLength };
  return derive("argon2id", parameters);
};

export const hashPassword = async (password: string, costs: HashCosts = currentCosts()): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  return encodeHash({ ...costs, salt, key: await keyOf(password, costs, salt, KEY_BYTES) });
};

/** For emails without an account. No password has this key, and checking it takes as long as checking a real one. */
const hashOfNobody = (): string =>
  encodeHash({ ...currentCosts(), salt: Buffer.alloc(SALT_BYTES), key: Buffer.alloc(KEY_BYTES) });

/** Whether the password is right. Without a hash (no such account) the same work is done, and the result is false. */
export const verifyPassword = async (password: string, hash: string | undefined): Promise<boolean> => {
  const { salt, key, ...costs } = decodeHash(hash ?? hashOfNobody());
  const matches = timingSafeEqual(await keyOf(password, costs, salt, key.length), key);
  return matches && hash !== undefined;
};

export const needsRehash = (hash: string): boolean => {
  const { memory, passes, parallelism } = decodeHash(hash);
  const current = currentCosts();
  return memory !== current.memory || passes !== current.passes || parallelism !== current.parallelism;
};
