import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type OutboundRequest, outboundRequest } from "#shared/foundation/outbound/request";
import { checkedAddress } from "#shared/foundation/outbound/resolve";
import { selfSigned } from "../../setup/certificate.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

const answers = new Map<string, string[]>();
const asked: string[] = [];

vi.mock("node:dns/promises", () => ({
  lookup: async (host: string) => {
    asked.push(host);
    const found = answers.get(host);
    if (found === undefined) throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  },
}));

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const seen: Seen[] = [];
let respond: (response: ServerResponse, request: Seen) => void;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, url, headers } = request;
  const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
  seen.push(one);
  respond(response, one);
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  vi.stubEnv("OUTBOUND_HTTP", "true");
  vi.stubEnv("OUTBOUND_LOOPBACK", "true");
  answers.clear();
  asked.length = 0;
  seen.length = 0;
  respond = (response) => response.setHeader("content-type", "application/json").end('{"ok":true}');
});
afterEach(() => vi.unstubAllEnvs());

const ask = (more: Partial<OutboundRequest> = {}) =>
  outboundRequest({ origin: `http://127.0.0.1:${port}`, path: "/", method: "GET", within: 5_000, ...more });

const refused = { code: "integration_refused" };
const failed = { code: "integration_failed" };

test("a request and its reply", async () => {
  const reply = await ask({
    path: "/v1/things",
    method: "POST",
    query: { a: "1 2", b: ["x", "y"] },
    headers: { "Content-Type": "application/json", "X-Own": "value" },
    ownHeaders: { authorization: "Bearer secret" },
    body: Buffer.from("{}"),
  });
  expect({ ...reply, body: reply.body.toString() }).toMatchObject({
    status: 200,
    headers: { "content-type": "application/json" },
    body: '{"ok":true}',
  });
  expect(seen[0]).toMatchObject({
    method: "POST",
    url: "/v1/things?a=1+2&b=x&b=y",
    headers: {
      "content-type": "application/json",
      "x-own": "value",
      authorization: "Bearer secret",
      "user-agent": "Tenantry",
    },
    body: "{}",
  });
});

describe("the address", () => {
  test.each([
    ["http", "http://example.com"],
    ["another scheme", "ftp://example.com"],
    ["a user", "https://user@example.com"],
    ["a path", "https://example.com/path"],
    ["a query", "https://example.com/?q"],
    ["a port of another protocol", "https://example.com:25"],
    ["no URL", "example.com"],
    ["nothing", ""],
  ])("is refused if it has %s", async (_, origin) => {
    vi.stubEnv("OUTBOUND_HTTP", "");
    await expect(ask({ origin })).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  test.each([
    "https://127.0.0.1:8443",
    "https://localhost:8443",
    "https://2130706433:8443",
    "https://0x7f.1:8443",
    "https://0177.0.0.1:8443",
    "https://[::1]:8443",
    "https://[::ffff:127.0.0.1]:8443",
    "https://169.254.169.254",
    "https://[fd00:ec2::254]",
    "https://metadata.test",
    "https://mixed.test",
    "https://mapped.test",
  ])("%s is refused, because it is not public", async (origin) => {
    vi.stubEnv("OUTBOUND_LOOPBACK", "");
    answers.set("localhost", ["::1", "127.0.0.1"]);
    answers.set("metadata.test", ["169.254.169.254"]);
    answers.set("mixed.test", ["8.8.8.8", "10.0.0.1"]);
    answers.set("mapped.test", ["::ffff:8.8.8.8"]);
    await expect(ask({ origin })).rejects.toMatchObject(refused);
  });

  test("of this host is allowed by the operator's setting, and no other private one", async () => {
    expect(await checkedAddress("127.0.0.1")).toEqual({ address: "127.0.0.1", family: 4 });
    await expect(checkedAddress("10.0.0.1")).rejects.toMatchObject(refused);
    await expect(checkedAddress("::ffff:127.0.0.1")).rejects.toMatchObject(refused);
  });

  test("that has none fails", async () => {
    await expect(ask({ origin: "https://nowhere.test" })).rejects.toMatchObject(failed);
  });

  test("is asked for once, and the connection uses that answer", async () => {
    answers.set("api.test", ["127.0.0.1"]);
    respond = (response) => {
      // A second question would get this.
      answers.set("api.test", ["10.0.0.1"]);
      response.end();
    };
    expect((await ask({ origin: `http://api.test:${port}` })).status).toBe(200);
    expect(asked).toEqual(["api.test"]);
    expect(seen[0]?.headers.host).toBe(`api.test:${port}`);
  });
});

test("whatever the path is, the request goes to the given host or is refused", async () => {
  const part = fc.constantFrom(
    "/",
    "\\",
    "//",
    "@",
    ":",
    "..",
    "%2e",
    "?",
    "#",
    "evil.test",
    " ",
    "\t",
    "a",
    "\u0000",
    "é",
  );
  const path = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join("")}`),
  );
  await fc.assert(
    fc.asyncProperty(path, async (text) => {
      seen.length = 0;
      const reply = await ask({ path: text }).catch((error: unknown) => error);
      if (seen.length === 0) expect(reply).toMatchObject(refused);
      else {
        expect(seen[0]?.headers.host).toBe(`127.0.0.1:${port}`);
        expect(seen[0]?.url).toMatch(/^\/(?!\/)/);
      }
      expect(asked).toEqual([]);
    }),
    propertyRuns(800),
  );
});

describe("headers of the caller", () => {
  test.each([
    "Host",
    "Authorization",
    "Cookie",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "X-Forwarded-For",
    "X-Amz-Date",
    "X-HTTP-Method-Override",
    "Proxy-Authorization",
    "bad name",
    "x-\r\nevil",
    "",
  ])("are refused if they have %j", async (name) => {
    await expect(ask({ headers: { [name]: "value" } })).rejects.toMatchObject(refused);
  });

  test("are refused with line breaks, too many or too large", async () => {
    await expect(ask({ headers: { accept: "a\r\nx: y" } })).rejects.toMatchObject(refused);
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`x-${index}`, ""]));
    await expect(ask({ headers: many })).rejects.toMatchObject(refused);
    await expect(ask({ headers: { accept: "x".repeat(8 * 1024) } })).rejects.toMatchObject(refused);
    expect(seen).toEqual([]);
  });
});

describe("the reply", () => {
  test("of a redirect is given, and not followed", async () => {
    respond = (response) => response.writeHead(302, { location: "http://169.254.169.254/", "set-cookie": "a=b" }).end();
    const reply = await ask();
    expect([reply.status, reply.headers.location]).toEqual([302, "http://169.254.169.254/"]);
    expect(reply.headers).not.toHaveProperty("set-cookie");
    expect(seen.length).toBe(1);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["is too large", (response) => response.end("x".repeat(1024 * 1024 + 1))],
    ["never ends", (response) => void setInterval(() => response.write("x".repeat(64 * 1024)), 1).unref()],
    ["is compressed", (response) => response.setHeader("content-encoding", "gzip").end("x")],
    ["has headers that are too large", (response) => response.setHeader("x-large", "x".repeat(17 * 1024)).end()],
    [
      "ends too early",
      (response) => void response.writeHead(200, { "content-length": 100 }).write("x", () => response.destroy()),
    ],
    ["is no HTTP", (response) => void response.socket?.end("nonsense\r\n\r\n")],
  ])("that %s fails", async (_, answer) => {
    respond = answer;
    await expect(ask()).rejects.toMatchObject(failed);
  });

  test("that does not come in time fails at that time", async () => {
    respond = () => undefined;
    const began = performance.now();
    await expect(ask({ within: 200 })).rejects.toMatchObject(failed);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("that trickles fails at the time limit", async () => {
    respond = (response) => void setInterval(() => response.write("x"), 50).unref();
    await expect(ask({ within: 500 })).rejects.toMatchObject(failed);
  });
});

test("a body that is too large is refused", async () => {
  const body = Buffer.alloc(1024 * 1024 + 1);
  await expect(ask({ method: "POST", body })).rejects.toMatchObject(refused);
  expect(seen).toEqual([]);
});

describe("over TLS", () => {
  const known = getCACertificates("default");
  const certificate = selfSigned("api.test");
  const named: (string | false | undefined)[] = [];
  const secure = createSecureServer(certificate, (request, response) => {
    named.push("servername" in request.socket ? String(request.socket.servername) : undefined);
    response.end(request.headers.host);
  });
  let origin: (host: string) => string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    const { port: securePort } = secure.address() as AddressInfo;
    origin = (host) => `https://${host}:${securePort}`;
  });
  afterAll(() => {
    setDefaultCACertificates(known);
    secure.closeAllConnections();
    secure.close();
  });
  beforeEach(() => {
    answers.set("api.test", ["127.0.0.1"]);
    answers.set("other.test", ["127.0.0.1"]);
  });

  test("a certificate that nobody vouches for fails", async () => {
    await expect(ask({ origin: origin("api.test") })).rejects.toMatchObject(failed);
  });

  test("the certificate of the name is accepted, at the checked address, and that of another name fails", async () => {
    setDefaultCACertificates([...known, certificate.cert]);
    const reply = await ask({ origin: origin("api.test") });
    expect(reply.body.toString()).toBe(new URL(origin("api.test")).host);
    expect(named).toEqual(["api.test"]);
    await expect(ask({ origin: origin("other.test") })).rejects.toMatchObject(failed);
  });
});
