import { createPrivateKey, createSecretKey, generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import * as z from "zod";
import type { PrivateFiles } from "../data/private-files.ts";

export const keySpecs = { RSA_2048: 2048, RSA_3072: 3072, RSA_4096: 4096, SYMMETRIC_DEFAULT: 256 } as const;
export type KeySpec = keyof typeof keySpecs;

const stored = z.object({ spec: z.string(), material: z.string() });

const generateRsa = promisify(generateKeyPair);

/**
 * The base64 material of a new key: PKCS #8 of an RSA pair, or 32 random bytes. RSA pairs are generated off the main
 * thread.
 */
const generate = async (spec: KeySpec): Promise<string> => {
  if (spec === "SYMMETRIC_DEFAULT") return randomBytes(32).toString("base64");
  const { privateKey } = await generateRsa("rsa", { modulusLength: keySpecs[spec] });
  return privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
};

/**
 * The key's material from an earlier start, or new material, which is stored before use. A damaged file is refused at
 * once. A new RSA pair is generated in the background, so that it does not delay the start.
 */
export const materialOf = (keyId: string, spec: KeySpec, files: PrivateFiles): Promise<KeyObject> => {
  const file = `kms/${keyId}.json`;
  const known = files.read(file, stored.extend({ spec: z.literal(spec) }));
  if (known !== undefined) return Promise.resolve(keyObject(spec, known.material));
  return generate(spec).then((material) => {
    files.write(file, { spec, material });
    return keyObject(spec, material);
  });
};

const keyObject = (spec: KeySpec, material: string): KeyObject => {
  const bytes = Buffer.from(material, "base64");
  return spec === "SYMMETRIC_DEFAULT"
    ? createSecretKey(bytes)
    : createPrivateKey({ key: bytes, format: "der", type: "pkcs8" });
};
