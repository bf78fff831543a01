import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  decodeHash,
  encodeHash,
  hashPassword,
  needsRehash,
  verifyPassword,
} from "#shared/identity/credentials/password-hash";

const cheap = { memory: 64, passes: 1, parallelism: 1 };
const bytes = fc.uint8Array({ minLength: 8, maxLength: 64 }).map((array) => Buffer.from(array));
const number = (max: number) => fc.integer({ min: 1, max });

describe("a stored password hash", () => {
  it("is decoded to what was encoded", () => {
    const hash = fc.record({
      memory: number(1_000_000),
      passes: number(10),
      parallelism: number(8),
      salt: bytes,
      key: bytes,
    });
    fc.assert(
      fc.property(hash, (stored) => {
        expect(decodeHash(encodeHash(stored))).toEqual(stored);
      }),
    );
  });

  it("is the argon2id of OWASP's parameters as a PHC string", async () => {
    const hash = await hashPassword("correct horse battery staple");
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(needsRehash(hash)).toBe(false);
  });

  it("agrees with the reference implementation of argon2", async () => {
    // phc-winner-argon2, test.c: hashtest(version 0x13, t=2, m=65536, p=1, "password", "somesalt"), argon2id.
    const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    expect(await verifyPassword("password", reference)).toBe(true);
    expect(await verifyPassword("differentpassword", reference)).toBe(false);
  });

  it("is salted: the same password never has the same hash twice", async () => {
    expect(await hashPassword("the same", cheap)).not.toBe(await hashPassword("the same", cheap));
  });

  it("is replaced when it has other costs", async () => {
    expect(needsRehash(await hashPassword("old costs", cheap))).toBe(true);
  });

  it.each([
    "",
    "plain",
    "$2b$10$abcdefghijklmnopqrstuv",
    "$argon2id$v=19$m=1,t=1$AAAA$AAAA",
    "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA",
  ])("that is none (%j) is an error that does not show it", (text) => {
    expect(() => decodeHash(text)).toThrow("A stored password hash is not an argon2id PHC string.");
  });
});

describe("weak hashes", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("are made in the stage of the test suite", async () => {
    vi.stubEnv("PASSWORD_HASHES", "weak");
    vi.stubEnv("STAGE", "selftest");
    const hash = await hashPassword("correct horse battery staple");
    expect(hash).toContain("$m=8,t=1,p=1$");
    expect(needsRehash(hash)).toBe(false);
    expect(await verifyPassword("correct horse battery staple", hash)).toBe(true);
    expect(await verifyPassword("something else", hash)).toBe(false);
  });

  it.each(["dev", "test", "local", "prod"])("are refused in the stage %s", async (stage) => {
    vi.stubEnv("PASSWORD_HASHES", "weak");
    vi.stubEnv("STAGE", stage);
    const refusal = "The environment variable PASSWORD_HASHES is for tests only.";
    await expect(async () => hashPassword("correct horse battery staple")).rejects.toThrow(refusal);
    await expect(async () => verifyPassword("correct horse battery staple", undefined)).rejects.toThrow(refusal);
  });
});

describe("a password", () => {
  it("is right if and only if it is the one that was hashed", async () => {
    const pair = fc.tuple(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ unit: "grapheme", minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(pair, async ([password, other]) => {
        const hash = await hashPassword(password, cheap);
        expect(await verifyPassword(password, hash)).toBe(true);
        expect(await verifyPassword(other, hash)).toBe(other.normalize("NFC") === password.normalize("NFC"));
      }),
      { numRuns: 40 },
    );
  });

  it("is the same in every Unicode composition of its letters", async () => {
    const hash = await hashPassword("Zürich für Anfänger".normalize("NFC"), cheap);
    expect(await verifyPassword("Zürich für Anfänger".normalize("NFD"), hash)).toBe(true);
  });

  it("is never right for an email without an account", async () => {
    expect(await verifyPassword("", undefined)).toBe(false);
    expect(await verifyPassword("correct horse battery staple", undefined)).toBe(false);
  });
});
