import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { fakeClock } from "./fake-clock.ts";
import { type Running, run, runForTest } from "./run.ts";
import { httpApi, lambdaFunction, route, template } from "./stack.ts";

const clock = fakeClock();
let platform: Running;

beforeAll(async () => {
  platform = await run(
    {
      api: template(
        httpApi(),
        lambdaFunction("Probe"),
        // One environment, so that it counts all calls.
        lambdaFunction("Counted", { ReservedConcurrentExecutions: 1 }),
        route("Counted", "GET /counted", "Counted"),
        route("Probe", "ANY /probe", "Probe"),
        route("Get", "GET /only-get", "Probe"),
        route("Exact", "GET /things/special", "Probe"),
        route("Thing", "GET /things/{id}", "Probe"),
        route("Greedy", "ANY /files/{path+}", "Probe"),
        route("Brief", "GET /brief", "Probe", { timeout: 100 }),
        route("Forbidden", "GET /forbidden", "Probe", { permission: false }),
      ),
    },
    { clock },
  );
});

afterAll(() => platform.stop());

const event = z.looseObject({
  routeKey: z.string(),
  rawPath: z.string(),
  rawQueryString: z.string(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()).optional(),
  queryStringParameters: z.record(z.string(), z.string()).optional(),
  pathParameters: z.record(z.string(), z.string()).optional(),
  body: z.string().optional(),
  isBase64Encoded: z.boolean(),
  requestContext: z.looseObject({}),
});

const ask = (path: string, init?: RequestInit) => fetch(`${platform.url}${path}`, init);
const eventOf = async (path: string, init?: RequestInit) => event.parse(await (await ask(path, init)).json());

/** Sends raw bytes, for requests that fetch would not send, and gives the whole reply. */
const raw = (lines: string[], body = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(new URL(platform.url).port), "127.0.0.1", () => {
      socket.write(`${[...lines, "host: api.test", "connection: close"].join("\r\n")}\r\n\r\n${body}`);
    });
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });

describe("the event of payload format 2.0", () => {
  test("has the request context", async () => {
    const { requestContext, ...rest } = await eventOf("/probe?a=1", { headers: { "user-agent": "tests" } });
    expect(rest).toMatchObject({ version: "2.0", routeKey: "ANY /probe", rawPath: "/probe", rawQueryString: "a=1" });
    expect(requestContext).toMatchObject({
      accountId: "000000000000",
      domainName: "127.0.0.1",
      http: { method: "GET", path: "/probe", protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "tests" },
      routeKey: "ANY /probe",
      stage: "$default",
      time: "12/Mar/2026:19:03:58 +0000",
      timeEpoch: Date.UTC(2026, 2, 12, 19, 3, 58),
    });
  });

  test("has the same request id as the reply", async () => {
    const reply = await ask("/probe");
    expect(event.parse(await reply.json()).requestContext.requestId).toBe(reply.headers.get("apigw-requestid"));
  });

  test("joins the values of a repeated query key and decodes them", async () => {
    const { queryStringParameters, rawQueryString } = await eventOf("/probe?a=1&a=2&b=x%20y+z&c");
    expect(queryStringParameters).toEqual({ a: "1,2", b: "x y z", c: "" });
    expect(rawQueryString).toBe("a=1&a=2&b=x%20y+z&c");
  });

  test("leaves out missing parts", async () => {
    const plain = await eventOf("/probe");
    for (const absent of ["queryStringParameters", "pathParameters", "body", "cookies"]) {
      expect(plain).not.toHaveProperty(absent);
    }
    expect(plain.isBase64Encoded).toBe(false);
  });

  test("joins repeated headers, has lower-case names and separate cookies", async () => {
    const answer = await raw(["GET /probe HTTP/1.1", "X-Many: one", "x-many: two", "Cookie: a=1; b=2", "cookie: c=3"]);
    const { headers, cookies } = event.parse(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))));
    expect(headers["x-many"]).toBe("one,two");
    expect(cookies).toEqual(["a=1", "b=2", "c=3"]);
    expect(headers).not.toHaveProperty("cookie");
    expect(headers).toMatchObject({ host: "api.test", "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http" });
  });

  test.each([
    ["application/json", false],
    ["application/json; charset=utf-8", false],
    ["text/csv", false],
    ["application/xml", false],
    ["application/x-www-form-urlencoded", true],
    ["application/octet-stream", true],
    ["image/png", true],
  ])("gives a body of type %s with isBase64Encoded %s", async (contentType, encoded) => {
    const given = await eventOf("/probe", { method: "POST", headers: { "content-type": contentType }, body: "a=ü" });
    expect(given.isBase64Encoded).toBe(encoded);
    expect(Buffer.from(given.body ?? "", encoded ? "base64" : "utf8").toString()).toBe("a=ü");
  });

  test("has a body without a type as base64", async () => {
    const given = await eventOf("/probe", { method: "POST", body: new Uint8Array([1, 254, 3]) });
    expect([...Buffer.from(given.body ?? "", "base64")]).toEqual([1, 254, 3]);
  });

  test("decodes the path before routing, and a decoded question mark ends it", async () => {
    expect(await eventOf("/things/a%20b%C3%BC")).toMatchObject({
      rawPath: "/things/a bü",
      pathParameters: { id: "a bü" },
    });
    expect(await eventOf("/files/a%2Fb")).toMatchObject({ rawPath: "/files/a/b", pathParameters: { path: "a/b" } });
    expect(await eventOf("/things/a%3Fb=1")).toMatchObject({ rawPath: "/things/a", rawQueryString: "" });
  });
});

describe("the routing of the gateway", () => {
  test("prefers the exact path, then a variable, then a greedy one", async () => {
    expect((await eventOf("/things/special")).routeKey).toBe("GET /things/special");
    expect((await eventOf("/things/other")).routeKey).toBe("GET /things/{id}");
    expect((await eventOf("/files/a/b")).routeKey).toBe("ANY /files/{path+}");
    expect((await eventOf("/files/")).pathParameters).toEqual({ path: "" });
  });

  test.each(["/", "/none", "/things", "/things/", "/things/a/b", "/probe/"])("answers 404 to %s", async (path) => {
    const reply = await ask(path);
    expect([reply.status, await reply.text()]).toEqual([404, '{"message":"Not Found"}']);
  });

  test("answers HEAD only for a route that accepts it, without a body", async () => {
    expect((await ask("/only-get", { method: "HEAD" })).status).toBe(404);
    const reply = await ask("/probe", { method: "HEAD" });
    expect([reply.status, await reply.text()]).toEqual([200, ""]);
  });

  test("passes OPTIONS to a route if the API has no CORS", async () => {
    expect((await ask("/probe", { method: "OPTIONS" })).status).toBe(200);
    expect((await ask("/only-get", { method: "OPTIONS" })).status).toBe(404);
  });

  test("refuses invalid percent-encoding in a path", async () => {
    expect((await ask("/things/%ff%")).status).toBe(400);
  });
});

describe("the reply of the gateway", () => {
  const answer = (reply: unknown) => ask(`/probe?do=reply&reply=${encodeURIComponent(JSON.stringify(reply))}`);

  test("has the status, headers, cookies and body of the handler", async () => {
    const reply = await answer({
      statusCode: 201,
      headers: { "X-Number": 5, "content-type": "text/html", connection: "upgrade" },
      cookies: ["a=1; HttpOnly", "b=2"],
      body: "<p>",
    });
    expect([reply.status, await reply.text()]).toEqual([201, "<p>"]);
    expect(reply.headers.get("x-number")).toBe("5");
    expect(reply.headers.get("content-type")).toBe("text/html");
    expect(reply.headers.getSetCookie()).toEqual(["a=1; HttpOnly", "b=2"]);
    expect(reply.headers.get("connection")).toBe("keep-alive");
  });

  test("is text by default", async () => {
    expect((await answer({ statusCode: 200, body: "x" })).headers.get("content-type")).toBe("text/plain;charset=UTF-8");
  });

  test("may be binary", async () => {
    const reply = await ask("/probe?do=binary");
    expect([...new Uint8Array(await reply.arrayBuffer())]).toEqual([0, 255, 1]);
  });

  test("has no body for 204", async () => {
    const reply = await answer({ statusCode: 204 });
    expect([reply.status, await reply.text(), reply.headers.get("content-length")]).toEqual([204, "", null]);
  });

  test.each([
    ['{"a":1}', '{"a":1}'],
    ['"text"', "text"],
    ["[1]", "[1]"],
    ["null", "null"],
    ["true", "true"],
  ])("is inferred from a result %s without a status code", async (value, body) => {
    const reply = await ask(`/probe?do=bare&value=${encodeURIComponent(value)}`);
    expect([reply.status, await reply.text()]).toEqual([200, body]);
    expect(reply.headers.get("content-type")).toBe("application/json");
  });

  test.each([
    { statusCode: "abc" },
    { statusCode: 200, body: { an: "object" } },
    { statusCode: 200, headers: { a: ["b"] } },
    { statusCode: 200, headers: { "not a header": "b" } },
  ])("is 500 when the result is malformed: %j", async (result) => {
    const reply = await answer(result);
    expect([reply.status, await reply.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  test.each(["throw", "exit", "later"])("is 500 when the handler fails by %s", async (action) => {
    const reply = await ask(`/probe?do=${action}`);
    expect([reply.status, await reply.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  });
});

describe("limits of the gateway", () => {
  test("503 for a handler that takes longer than the integration's limit", async () => {
    const reply = await ask("/brief?do=sleep&ms=400");
    expect([reply.status, await reply.text()]).toEqual([503, '{"message":"Service Unavailable"}']);
  });

  test("413 for a body over 10 MB, declared or streamed", async () => {
    const headers = { "content-type": "text/plain" };
    const body = "x".repeat(10 * 1024 * 1024 + 1);
    const reply = await ask("/probe", { method: "POST", headers, body }).catch(() => undefined);
    // The gateway may close the connection while the client still sends.
    if (reply !== undefined) expect(reply.status).toBe(413);
    const declared = await raw(["POST /probe HTTP/1.1", "content-length: 10485761"]);
    expect(declared).toMatch(/^HTTP\/1\.1 413 [\s\S]*\{"message":"Request Entity Too Large"\}$/);
  });

  test("413 for an event over 6 MB, 500 for a result over 6 MB", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await ask("/probe", { method: "POST", headers, body: "x".repeat(6 * 1024 * 1024) })).status).toBe(413);
    // With its quotes the first result has 6,291,556 bytes.
    expect((await ask("/probe?do=large&size=6291554")).status).toBe(200);
    expect((await ask("/probe?do=large&size=6291555")).status).toBe(500);
    expect((await ask("/probe?do=large&size=5000000")).status).toBe(200);
  });

  test("431 for a request line and headers of over 10,240 bytes, before a function runs", async () => {
    const calls = async () =>
      z.object({ calls: z.number() }).parse(await (await ask("/counted?do=calls")).json()).calls;
    const before = await calls();
    const line = (length: number) => `GET /counted?q=${"x".repeat(length)} HTTP/1.1`;
    // The line ends and "host: api.test", "connection: close" take 39 bytes.
    const rest = `${line(0)}`.length + 39 - 2;
    expect(await raw([line(10_240 - rest)])).toMatch(/^HTTP\/1\.1 200 /);
    const refused = /^HTTP\/1\.1 431 [\s\S]*\{"message":"Request Header Fields Too Large"\}$/;
    expect(await raw([line(10_241 - rest)])).toMatch(refused);
    expect(await raw([line(5_000), `x-long: ${"y".repeat(6_000)}`])).toMatch(refused);
    expect(await raw([line(60_000)])).toMatch(refused);
    expect(await calls()).toBe(before + 2);
  });

  test("429 from the throttle of the stage, which refills", async () => {
    const own = fakeClock();
    const stage = {
      DefaultRouteSettings: { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 2 },
      RouteSettings: { "GET /tight": { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1 } },
    };
    const { url } = await runForTest(
      {
        api: template(
          httpApi({ stage }),
          lambdaFunction("Probe"),
          route("Probe", "GET /probe", "Probe"),
          route("Tight", "GET /tight", "Probe"),
        ),
      },
      { clock: own },
    );
    const statuses = async (path: string, count: number) => {
      const all = [];
      for (let index = 0; index < count; index++) all.push((await fetch(`${url}${path}`)).status);
      return all;
    };
    expect(await statuses("/probe", 3)).toEqual([200, 200, 429]);
    expect(await statuses("/tight", 2)).toEqual([200, 429]);
    own.advance(100);
    expect(await statuses("/probe", 2)).toEqual([200, 429]);
    expect(await (await fetch(`${url}/probe`)).text()).toBe('{"message":"Too Many Requests"}');
  });
});

describe("permissions of the gateway", () => {
  test("500 for a route without a permission for its function, with the reason in the log", async () => {
    const reply = await ask("/forbidden");
    expect([reply.status, await reply.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    const logged = platform.entries.find((entry) => entry.kind === "request" && entry.path === "/forbidden");
    expect(logged).toMatchObject({ status: 500, problem: expect.stringContaining("no AWS::Lambda::Permission") });
  });
});

test("the access log of a request names the organization that the handler logged for it", async () => {
  const reply = await ask("/probe?do=request");
  const requestId = reply.headers.get("apigw-requestid");
  const logged = platform.entries.find((entry) => entry.kind === "request" && entry.requestId === requestId);
  expect(logged).toMatchObject({
    organization: "org_of_the_caller",
    route: "ANY /probe",
    function: "Probe",
    status: 200,
  });
});

describe("CORS of the gateway", () => {
  test("preflights are answered by the gateway, and its headers replace the handler's", async () => {
    const cors = {
      AllowOrigins: ["https://app.test", "https://*.partner.test"],
      AllowMethods: ["GET", "POST"],
      AllowHeaders: ["Authorization"],
      ExposeHeaders: ["x-total-count"],
      MaxAge: 600,
    };
    const { url } = await runForTest({
      api: template(httpApi({ cors }), lambdaFunction("Probe"), route("Probe", "GET /probe", "Probe")),
    });
    const preflight = await fetch(`${url}/probe`, { method: "OPTIONS", headers: { origin: "https://app.test" } });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.test",
      "access-control-allow-methods": "GET,POST",
      "access-control-allow-headers": "authorization",
      "access-control-max-age": "600",
    });
    const result = encodeURIComponent(
      JSON.stringify({ statusCode: 200, headers: { "access-control-allow-origin": "*" } }),
    );
    const asked = `${url}/probe?do=reply&reply=${result}`;
    const allowed = await fetch(asked, { headers: { origin: "https://a.partner.test" } });
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://a.partner.test");
    expect(allowed.headers.get("access-control-expose-headers")).toBe("x-total-count");
    const foreign = await fetch(asked, { headers: { origin: "https://evil.test" } });
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });
});

test("a client that disconnects, before or after its body, disturbs no others", async () => {
  const { port } = new URL(platform.url);
  const hangUp = (request: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(request);
        setTimeout(() => socket.destroy(), 20);
      });
      socket.once("close", () => resolve());
    });
  const answered = () => platform.entries.filter(({ kind }) => kind === "request").length;
  const before = answered();
  await hangUp("POST /probe HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf");
  await hangUp("GET /probe?do=sleep&ms=100 HTTP/1.1\r\nhost: a\r\n\r\n");
  await hangUp("NONSENSE\r\n\r\n");
  // Of the three only the second was handled.
  await expect.poll(answered).toBe(before + 1);
  expect((await ask("/probe")).status).toBe(200);
});

test("the gateway listens on loopback only", async () => {
  expect(new URL(platform.url).hostname).toBe("127.0.0.1");
  await expect(
    new Promise((resolve, reject) =>
      connect(Number(new URL(platform.url).port), "127.0.0.2", () => resolve("open")).once("error", reject),
    ),
  ).rejects.toThrow("ECONNREFUSED");
});
