import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { routes } from "#contracts/routes";
import { httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { temporaryDirectory } from "./run.ts";

const ORIGIN = "https://app.acme.example";
const dataDir = temporaryDirectory();
let launched: LaunchedPlatform;

// As deployed with a custom domain: reached by TLS, so its issuer is an https address.
beforeAll(async () => {
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    context: {
      domain: "api.acme.example",
      certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/one",
      allowedOrigins: ORIGIN,
    },
  });
});
afterAll(async () => {
  await launched.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const send = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${launched.access.url}${path}`, { method, redirect: "manual", ...init });

const json = { "content-type": "application/json" };

/** Every route without its parameters, an unknown route, and successful replies of each kind. */
const requests: [string, string, RequestInit?][] = [
  ...routes.map(({ method, path }): [string, string] => [method, path.replace(/\{(\w+)\}/g, "lead")]),
  ["GET", "/v1/nothing"],
  ["DELETE", "/v1/status"],
  ["POST", "/v1/oauth2/token", { headers: { "content-type": "text/plain" }, body: "?" }],
  ["POST", "/v1/register", { headers: json, body: "{" }],
  ["POST", "/v1/register", { headers: json, body: JSON.stringify("x".repeat(1_100_000)) }],
  ["GET", "/v1/object/lead", { headers: { authorization: "Bearer nonsense" } }],
];

describe("over TLS", () => {
  it.each(requests)("%s %s is answered with HSTS and nosniff", async (method, path, init) => {
    const reply = await send(method, path, init);
    await reply.arrayBuffer();
    expect(reply.headers.get("strict-transport-security")).toBe("max-age=63072000");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.headers.get("x-request-id")).toBeTruthy();
  });

  it("a registration and a reply without a body have them too", async () => {
    const http = httpClient(launched.access.url);
    const body = { organization_name: "Acme", email: "owner@acme.example", password: "correct horse battery staple" };
    const registered = await http.post("/v1/register", { body, expect: 201 });
    const ended = await http.post("/v1/auth/logout", { token: registered.body.access_token, expect: 204 });
    for (const { headers } of [registered, ended]) {
      expect(headers.get("strict-transport-security")).toBe("max-age=63072000");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("a web page of an allowed origin", () => {
  const exposed = async (origin: string): Promise<string[]> => {
    const reply = await send("GET", "/v1/status", { headers: { origin } });
    await reply.arrayBuffer();
    return (reply.headers.get("access-control-expose-headers") ?? "").split(",").filter((name) => name !== "");
  };

  /** Headers that fetch shows to every origin. */
  const safelisted = ["cache-control", "content-type"];

  it("may read every header that the OpenAPI document declares, and other origins may not", async () => {
    const document = JSON.stringify(await (await send("GET", "/openapi.json")).json());
    const { paths } = JSON.parse(document) as {
      paths: Record<string, Record<string, { responses: Record<string, { headers?: Record<string, unknown> }> }>>;
    };
    const declared = Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers = {} }) => Object.keys(headers).map((name) => name.toLowerCase()))
      .filter((name) => !safelisted.includes(name));
    expect(declared).toEqual(expect.arrayContaining(["x-request-id", "idempotency-replayed", "x-truncated"]));
    expect((await exposed(ORIGIN)).toSorted()).toEqual([...new Set([...declared, "allow"])].toSorted());
    expect(await exposed("https://evil.example")).toEqual([]);
  });
});
