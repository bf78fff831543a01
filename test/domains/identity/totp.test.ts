import { expect, it } from "vitest";
import { base32, hotp, matchingStep, otpauthUri, stepAt } from "#shared/identity/credentials/totp";

const secret = Buffer.from("12345678901234567890");

// RFC 6238, Appendix B (SHA-1).
it.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("gives at %d seconds the code %s of RFC 6238", (seconds, code) => {
  expect(hotp(secret, stepAt(seconds), 8)).toBe(code);
});

// RFC 4226, Appendix D.
it("gives the ten codes of RFC 4226", () => {
  const codes = Array.from({ length: 10 }, (_, counter) => hotp(secret, counter)).join(" ");
  expect(codes).toBe("755224 287082 359152 969429 338314 254676 287922 162583 399871 520489");
});

it("accepts a code of the step before, this one and the next, if it is later than the last used one", () => {
  const seconds = 3_000;
  const at = (step: number, after = 0) => matchingStep(secret, hotp(secret, step), { seconds, after });
  expect([98, 99, 100, 101, 102].map((step) => at(step))).toEqual([null, 99, 100, 101, null]);
  expect([at(99, 99), at(100, 99), at(100, 100), at(101, 100)]).toEqual([null, 100, null, 101]);
  expect(matchingStep(secret, "1234567", { seconds, after: 0 })).toBeNull();
});

// RFC 4648, section 10, without padding.
it.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["foobar", "MZXW6YTBOI"],
])("writes %j in base 32 as %j", (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

it("makes a URI that authenticator apps read", () => {
  const uri = new URL(otpauthUri(secret, "Tenantry (a b)", "ada+x@example.com"));
  expect(uri.protocol).toBe("otpauth:");
  expect(decodeURIComponent(uri.pathname)).toContain("Tenantry (a b):ada+x@example.com");
  expect(uri.searchParams.get("secret")).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  expect(uri.searchParams.get("issuer")).toBe("Tenantry (a b)");
});
