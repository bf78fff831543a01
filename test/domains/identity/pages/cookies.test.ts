import { afterEach, describe, expect, it, vi } from "vitest";
import { clearCookie, readCookie, writeCookie } from "#shared/identity/pages/cookies";

afterEach(() => vi.unstubAllEnvs());

const facts = (cookies: Record<string, string>) => ({
  device: { address: "203.0.113.7" },
  host: "api.example.com",
  cookies: new Map(Object.entries(cookies)),
});

describe("a cookie of the sign-in pages", () => {
  it("belongs to this host only and is sent over TLS only", () => {
    vi.stubEnv("ISSUER", "https://api.example.com");
    expect(writeCookie("session", "tbs_x")).toBe(
      "__Host-tenantry-session=tbs_x; Path=/; HttpOnly; SameSite=Lax; Secure",
    );
    expect(clearCookie("session")).toBe("__Host-tenantry-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
    expect(readCookie(facts({ "__Host-tenantry-session": "tbs_x" }), "session")).toBe("tbs_x");
    expect(readCookie(facts({ "tenantry-session": "tbs_planted" }), "session")).toBeUndefined();
  });

  it("has no attributes that browsers refuse without TLS", () => {
    vi.stubEnv("ISSUER", "http://127.0.0.1:3000");
    expect(writeCookie("form", "x")).toBe("tenantry-form=x; Path=/; HttpOnly; SameSite=Lax");
    expect(readCookie(facts({ "tenantry-form": "" }), "form")).toBeUndefined();
  });
});
