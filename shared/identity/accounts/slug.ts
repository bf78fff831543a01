import { randomInt } from "node:crypto";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const MAX_LENGTH = 48;

/** Random characters 0-9 and a-z, each equally likely. */
export const randomBase36 = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** 16 base-36 characters are 82 bits: enough against guessing and collisions (docs/scale.md). */
export const newOrganizationId = (): string => `org_${randomBase36(16)}`;

/**
 * A name as part of an address: ASCII letters and digits joined by hyphens, never empty. `Café Zürich` → `cafe-zurich`.
 */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, "") || "organization";

/** The slugs to try for a name: first the plain one, then some with random characters. */
export const slugCandidates = (name: string, count: number): string[] => {
  const plain = slugOf(name);
  return [plain, ...Array.from({ length: count - 1 }, () => `${plain}-${randomBase36(5)}`)];
};
