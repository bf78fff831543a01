import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { http, platformUrl } from "../../platform.ts";

const scriptAddress = (page: string): string => /<script src="([^"]+)">/.exec(page)?.[1] ?? "";

describe("GET /docs", () => {
  it("loads one script, and that from the platform itself", async () => {
    const { body } = await http.get("/docs", { expect: 200 });
    const addresses = [...body.matchAll(/\b(?:src|href)="([^"]+)"/g)].map((match: RegExpExecArray) => match[1]);
    const loaded = addresses.filter((address: string | undefined) => !address?.startsWith("data:"));
    expect(loaded.sort()).toEqual([
      expect.stringMatching(/^docs\/assets\/reference-[0-9a-f]{16}\.js$/),
      "openapi.json",
    ]);
  });

  it("sends a policy that allows its own scripts and no others", async () => {
    const { body, headers } = await http.get("/docs", { expect: 200 });
    const inline = [...body.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((match: RegExpExecArray) => match[1] ?? "");
    expect(inline).toHaveLength(1);
    const hash = createHash("sha256")
      .update(inline[0] ?? "")
      .digest("base64");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe-eval");
  });

  it("names a public client with PKCE that redirects only to this platform", async () => {
    const { body } = await http.get("/docs", { expect: 200 });
    expect(body).toContain('"x-scalar-client-id":"tenantry-docs"');
    const asked = { response_type: "code", client_id: "tenantry-docs", state: "s" };
    const challenge = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
    const own = { ...asked, ...challenge, redirect_uri: `${platformUrl}/docs/signed-in` };
    expect((await http.get("/v1/oauth2/authorize", { query: own })).status).toBe(200);
    const elsewhere = await http.get("/v1/oauth2/authorize", {
      query: { ...own, redirect_uri: "https://elsewhere.test/docs/signed-in" },
    });
    expect(elsewhere.status).toBe(400);
  });
});

describe("GET /docs/assets/{name}", () => {
  it("gives the compressed script, which caches may keep", async () => {
    const { body } = await http.get("/docs", { expect: 200 });
    const reply = await fetch(`${platformUrl}/${scriptAddress(body)}`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-encoding")).toBe("gzip");
    expect(reply.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(reply.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await reply.text()).toContain("createApiReference");
  });

  it("gives 404 for any other name", async () => {
    for (const name of ["reference.js", "index.mjs", "..%2Findex.mjs", "%00"]) {
      expect([name, (await http.get(`/docs/assets/${name}`)).status]).toEqual([name, 404]);
    }
  });
});
