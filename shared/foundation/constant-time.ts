import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal, in a time that tells nothing but their lengths. */
export const isSameSecret = (one: string | Uint8Array, other: string | Uint8Array): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
