import { createHmac } from "node:crypto";
import { isSameSecret } from "#shared/foundation/constant-time";

const STEP_SECONDS = 30;
const DIGITS = 6;

/** RFC 4226 §5.3: the code of one counter. `digits` is at most 9. */
export const hotp = (secret: Uint8Array, counter: number, digits = DIGITS): string => {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac("sha1", secret).update(message).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, "0");
};

/** RFC 6238 §4.2: the time step of a moment. */
export const stepAt = (seconds: number): number => Math.floor(seconds / STEP_SECONDS);

/**
 * The time step whose code this is, or null. The current step, the one before and the one after are accepted (RFC 6238
 * §5.2), if they are later than the last used one, so that no code works twice.
 */
export const matchingStep = (
  secret: Uint8Array,
  code: string,
  { seconds, after }: { readonly seconds: number; readonly after: number },
): number | null => {
  const current = stepAt(seconds);
  const steps = [current - 1, current, current + 1].filter(
    (step) => step > after && isSameSecret(hotp(secret, step), code),
  );
  return steps[0] ?? null;
};

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 §6, without padding, as authenticator apps expect it. */
export const base32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
};

/** https://github.com/google/google-authenticator/wiki/Key-Uri-Format: what authenticator apps read from a QR code. */
export const otpauthUri = (secret: Uint8Array, issuer: string, email: string): string => {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const parameters = `secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
};
