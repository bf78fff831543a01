import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { contextCall, plantExecution, runBody } from "./functions.ts";
import { type Answer, type Asked, startProvider } from "./provider.ts";

const SECRET = "sk/never+shown=1";

let owner: User;
let token: string;
let answer: (asked: Asked) => Answer;
let provider: Awaited<ReturnType<typeof startProvider>>;
let number = 0;

beforeAll(async () => {
  provider = await startProvider((asked) => answer(asked));
  owner = await registerOrganization();
  ({ token } = await plantExecution(owner));
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.asked.length = 0;
  answer = () => ({ body: '{"ok":true}' });
});

/** Saves a credential, and gives the provider's name. */
const credential = async (fields: Record<string, unknown> = {}): Promise<string> => {
  const name = `provider_${++number}`;
  const body = { name, provider: name, type: "bearer", value: { token: SECRET }, base_url: provider.origin, ...fields };
  await http.post("/v1/object/auth_credential", { token: owner.token, body, expect: 201 });
  return name;
};

const ask = async (name: string, args: unknown[] = ["GET", "/"], kwargs: object = {}, as = token) =>
  contextCall(as, "integrations.request", [name, ...args], kwargs);

const result = async (name: string, args?: unknown[], kwargs?: object) => {
  const { status, body } = await ask(name, args, kwargs);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.result;
};

it("a function sends a request with the credential of a provider, which it never sees", async () => {
  const name = await credential();
  answer = () => ({ status: 201, headers: { "x-own": "1" }, body: '{"id": "c1"}' });
  const code =
    `reply = await platform.integrations.${name}.request('POST', '/v1/charges', json={'amount': 5},\n` +
    "    params={'a': 1, 'b': ['x', 'y'], 'c': None}, headers={'Idempotency-Key': 'k'})\n" +
    "return [reply['status'], reply['ok'], reply['json'], reply['headers']['x-own']]";
  expect(await runBody(owner, code)).toEqual([201, true, { id: "c1" }, "1"]);
  expect(provider.asked).toMatchObject([
    {
      method: "POST",
      url: "/v1/charges?a=1&b=x&b=y",
      headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json", "idempotency-key": "k" },
      body: '{"amount":5}',
    },
  ]);
});

describe("a credential authorizes a request", () => {
  it.each([
    ["bearer, as a text", { type: "bearer", value: "t1" }, { authorization: "Bearer t1" }],
    ["api_key", { type: "api_key", value: { key: "k1" } }, { "x-api-key": "k1" }],
    [
      "api_key with a header and a prefix",
      { type: "api_key", value: { key: "k1", prefix: "Key " }, header: "Authorization" },
      { authorization: "Key k1" },
    ],
    [
      "basic",
      { type: "basic", value: { username: "u", password: "p:w" } },
      { authorization: `Basic ${Buffer.from("u:p:w").toString("base64")}` },
    ],
    ["oauth2 with an access token", { type: "oauth2", value: { access_token: "a1" } }, { authorization: "Bearer a1" }],
  ])("of the type %s", async (_, fields, headers) => {
    await result(await credential(fields));
    expect(provider.asked[0]?.headers).toMatchObject(headers);
  });

  it("of the type api_key in the query", async () => {
    await result(await credential({ type: "api_key", value: { key: "k 1", query: "key" } }), [
      "GET",
      "/x?key=mine&a=1",
    ]);
    expect(provider.asked[0]?.url).toBe("/x?key=k+1&a=1");
  });

  it("of the type oauth2 with an access token of the provider, which is used again until it is refused", async () => {
    let refused = false;
    answer = ({ url, body, headers }) => {
      if (url !== "/token") return { status: refused ? 401 : 200, body: JSON.stringify(headers.authorization) };
      expect(body).toBe("grant_type=client_credentials&scope=read");
      expect(headers.authorization).toBe(`Basic ${Buffer.from("client:s%26cret").toString("base64")}`);
      return { body: '{"access_token": "issued-token", "token_type": "Bearer", "expires_in": 3600}' };
    };
    const value = {
      client_id: "client",
      client_secret: "s&cret",
      token_url: `${provider.origin}/token`,
      scope: "read",
    };
    const name = await credential({ type: "oauth2", value });
    expect((await result(name)).json).toBe("Bearer [redacted]");
    await result(name);
    expect(provider.asked.map(({ url }) => url)).toEqual(["/token", "/", "/"]);
    refused = true;
    expect((await result(name)).status).toBe(401);
    await result(name);
    expect(provider.asked.filter(({ url }) => url === "/token").length).toBe(2);
  });
});

describe("the secret of a credential", () => {
  it("is removed from replies, in the forms in which they repeat it", async () => {
    const name = await credential();
    const forms = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString("base64")];
    answer = () => ({ headers: { "x-echo": SECRET }, body: JSON.stringify({ forms }) });
    const reply = await result(name);
    expect(reply.json).toEqual({ forms: ["[redacted]", "[redacted]", "[redacted]"] });
    expect(reply.headers["x-echo"]).toBe("[redacted]");
    for (const form of forms) expect(JSON.stringify(reply)).not.toContain(form);
  });

  it("makes a reply of bytes fail that has it", async () => {
    const name = await credential();
    answer = () => ({ body: Buffer.concat([Buffer.from([255, 254]), Buffer.from(SECRET)]) });
    expect((await ask(name)).body).toMatchObject({ code: "integration_failed" });
  });

  it("is not sent to a new address: base_url changes only together with the value", async () => {
    const name = await credential();
    const { body } = await http.get("/v1/query", {
      token: owner.token,
      query: { q: `SELECT id FROM auth_credential WHERE provider = '${name}'` },
      expect: 200,
    });
    const path = `/v1/object/auth_credential/${body.records[0].id}`;
    const change = (fields: object, expected: number) =>
      http.patch(path, { token: owner.token, body: fields, expect: expected });
    const refused = await change({ base_url: "https://thief.example" }, 422);
    expect(refused.body.detail).toMatchObject([{ loc: ["body", "base_url"], type: "value_required" }]);
    await change({ header: "X-Other", base_url: provider.origin }, 200);
    await change({ base_url: "https://other.example", value: { token: "new" } }, 200);
  });
});

describe("a request is refused", () => {
  it("without an active credential", async () => {
    expect((await ask("nobody")).body).toMatchObject({ code: "integration_not_found" });
    expect((await ask(await credential({ active: false }))).body).toMatchObject({ code: "integration_not_found" });
  });

  it.each([
    ["has no address", { base_url: null }],
    ["has expired", { expires_at: "2020-01-01T00:00:00.000Z" }],
    ["has a value that does not fit its type", { type: "basic", value: { token: SECRET } }],
    ["has a private address", { base_url: "http://169.254.169.254" }],
    ["has a header that frames the message", { type: "api_key", value: "key-1", header: "Content-Length" }],
  ])("with a credential that %s", async (_, fields) => {
    const { body } = await ask(await credential(fields));
    expect(body).toMatchObject({ code: "integration_refused" });
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(provider.asked).toEqual([]);
  });

  it("with one of two active credentials of a provider", async () => {
    const name = await credential();
    await credential({ provider: name });
    expect((await ask(name)).body).toMatchObject({ code: "integration_refused" });
  });

  it.each([
    ["a path of another host", ["GET", "//thief.example/"], {}],
    ["a path without a slash", ["GET", "x"], {}],
    ["an unknown method", ["CONNECT", "/"], {}],
    ["a header of the platform", ["GET", "/"], { headers: { Authorization: "mine" } }],
    ["a header of proxies", ["GET", "/"], { headers: { "X-Forwarded-For": "127.0.0.1" } }],
  ])("with %s", async (_, args, kwargs) => {
    expect((await ask(await credential(), args, kwargs)).body).toMatchObject({ code: "integration_refused" });
    expect(provider.asked).toEqual([]);
  });

  it("for others than administrators, if the credential says so", async () => {
    const member = await addUser(owner.organizationId);
    const planted = await plantExecution(member);
    const own = await credential({ admins_only: true });
    expect((await ask(own, ["GET", "/"], {}, planted.token)).body).toMatchObject({ code: "forbidden" });
    expect((await ask(await credential(), ["GET", "/"], {}, planted.token)).status).toBe(200);
  });

  it("for another organization, which has no such credential", async () => {
    const name = await credential();
    const planted = await plantExecution(await registerOrganization());
    expect((await ask(name, ["GET", "/"], {}, planted.token)).body).toMatchObject({ code: "integration_not_found" });
  });
});

it("a redirect is a reply, and not followed", async () => {
  const name = await credential();
  answer = () => ({ status: 302, headers: { location: `${provider.origin}/elsewhere` } });
  expect(await result(name)).toMatchObject({ status: 302, ok: false });
  expect(provider.asked.length).toBe(1);
});

it.each([
  ["http://169.254.169.254/latest", "has a path"],
  ["https://user@example.com", "has a user"],
])("a credential with the address %s is not saved: it %s", async (base_url) => {
  const body = { name: "bad", provider: "bad", value: "v", base_url };
  const { body: refused } = await http.post("/v1/object/auth_credential", { token: owner.token, body, expect: 422 });
  expect(refused.detail).toMatchObject([{ loc: ["body", "base_url"], type: "origin" }]);
});
