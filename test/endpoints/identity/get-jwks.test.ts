import { createLocalJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { http, platformUrl, registerOrganization, type User } from "../../platform.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

describe("GET /.well-known/jwks.json", () => {
  it("answers the public keys of two key pairs and may be cached", async () => {
    const reply = await http.get("/.well-known/jwks.json", { expect: 200 });
    expect(reply.headers.get("cache-control")).toBe("public, max-age=300");
    expect(reply.body.keys).toHaveLength(2);
    for (const key of reply.body.keys) {
      expect(key).toMatchObject({ kty: "RSA", alg: "RS256", use: "sig" });
      expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    }
  });

  it("is enough for a library to verify an access token", async () => {
    const { body } = await http.get("/.well-known/jwks.json");
    const verified = await jwtVerify(owner.token, createLocalJWKSet(body), {
      issuer: platformUrl,
      audience: platformUrl,
      algorithms: ["RS256"],
    });
    expect(verified.payload).toMatchObject({
      sub: owner.id,
      org: owner.organizationId,
      email: owner.email,
      typ: "access",
    });
    expect(Number(verified.payload.exp) - Number(verified.payload.iat)).toBe(900);
  });
});
