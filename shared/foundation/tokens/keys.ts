import { createPublicKey, type KeyObject } from "node:crypto";
import { readPublicKey } from "../aws/kms.ts";
import { nowMillis } from "../clock.ts";
import { env } from "../env.ts";
import { log } from "../log.ts";

export interface TrustedKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/**
 * A token with an unknown `kid` may come from a newer key. The limit prevents that strangers cause many calls to KMS.
 */
const REFETCH_AFTER_MS = 30_000;

let fetched: { at: number; keys: Promise<readonly TrustedKey[]> } | undefined;

const fetchKey = async (alias: string): Promise<TrustedKey> => {
  const { keyId, der } = await readPublicKey(alias);
  return { kid: keyId, key: createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" }) };
};

/** A key that cannot be read, because it is disabled or being replaced, is left out. The other key remains in use. */
const fetchKeys = async (): Promise<readonly TrustedKey[]> => {
  const aliases = env.signingKeyAliases();
  const results = await Promise.allSettled(aliases.map(fetchKey));
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (failures.length === aliases.length) throw failures[0];
  for (const err of failures) log.error({ err }, "a signing key cannot be read");
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
};

/** All trusted keys, the signing one first. Fetched once per execution environment. */
export const trustedKeys = (): Promise<readonly TrustedKey[]> => {
  if (fetched === undefined) {
    const keys = fetchKeys();
    fetched = { at: nowMillis(), keys };
    keys.catch(() => {
      fetched = undefined;
    });
  }
  return fetched.keys;
};

export const trustedKey = async (kid: string): Promise<TrustedKey | undefined> => {
  const known = (await trustedKeys()).find((candidate) => candidate.kid === kid);
  if (known !== undefined || fetched === undefined || nowMillis() - fetched.at < REFETCH_AFTER_MS) return known;
  fetched = undefined;
  return (await trustedKeys()).find((candidate) => candidate.kid === kid);
};
