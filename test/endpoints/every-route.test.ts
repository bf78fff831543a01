import { createHmac, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it, test } from "vitest";
import type { Contract } from "#contracts/contract";
import { routes } from "#contracts/routes";
import { addUser, forge, http, registerOrganization, signIn, type User } from "../platform.ts";
import { inRow, saveAutomation } from "../setup/automations.ts";
import { upload } from "../setup/documents.ts";
import { claimsOf, headerOf } from "../setup/forge-token.ts";
import {
  ADMINISTRATORS_ONLY,
  CAPABILITY,
  nameOf,
  PEOPLE_ONLY,
  PUBLIC,
  SUPERUSERS_ONLY,
  TOKEN_IN_BODY,
  WITHOUT_REQUIRED_SECOND_FACTOR,
} from "./access-lists.ts";
import { addFunction, run } from "./automation/functions.ts";
import { letIn, registerApp } from "./identity/apps.ts";
import { setUpApp } from "./identity/second-factors.ts";
import { requireFactor } from "./identity/strict.ts";

/** Access is checked independently of what a path parameter names. */
const concrete = (contract: Contract): string => contract.path.replace(/\{(\w+)\}/g, "lead");

const call = (contract: Contract, token: string | undefined, path = concrete(contract)) =>
  http.send(contract.method, path, {
    ...(token === undefined ? {} : { token }),
    ...(contract.request.body && contract.method !== "GET" ? { body: {} } : {}),
  });

const named = (contract: Contract): [string, Contract] => [nameOf(contract), contract];
const listed = (names: readonly string[]) => routes.filter((contract) => names.includes(nameOf(contract)));
const open = listed(Object.keys(PUBLIC));
const internal = listed(CAPABILITY);
const guarded = routes.filter((contract) => !open.includes(contract) && !internal.includes(contract));
const beacons = listed(TOKEN_IN_BODY);
const restricted = listed([...ADMINISTRATORS_ONLY, ...SUPERUSERS_ONLY]);
const operators = listed(SUPERUSERS_ONLY);

let owner: User;
let member: User;
/** Signed in without the second factor that the organization now requires. */
let unproven: User;
/** The token of an owner's app that may do everything an app may do. */
let appToken: string;
let badTokens: Record<string, string>;

/** The path of an existing resource of the owner. */
const pathOfOwn = async ({ path }: Contract): Promise<string> => {
  if (path.startsWith("/v1/auth/client/")) return path.replace("{id}", (await registerApp(owner.token)).client_id);
  if (path === "/v1/auth/session/{id}") {
    return path.replace("{id}", String(claimsOf((await signIn(owner.email)).token).sid));
  }
  if (path === "/v1/schema/{object_id}/{field_name}") return "/v1/schema/lead/email";
  if (path.endsWith("/validation-rule/{rule_api_name}")) {
    const rule = { name: `Own ${Math.random()}`, condition: "record.name == 'x'", error_message: "No." };
    const options = { token: owner.token, body: rule, expect: 200 };
    const { body } = await http.post("/v1/schema/lead/validation-rule", options);
    return `/v1/schema/lead/validation-rule/${body.api_name}`;
  }
  if (path === "/v1/notifications/token/{id}") {
    const device = { token: owner.token, body: { token: `own-${Math.random()}` }, expect: 200 };
    return path.replace("{id}", (await http.post("/v1/notifications/set-token", device)).body.id);
  }
  if (path === "/v1/documents/{id}/content") {
    return path.replace("{id}", String((await upload(owner.token)).body.id));
  }
  if (path.startsWith("/v1/email-services/domains/{domain}")) {
    const domain = `own-${randomUUID()}.com`;
    await http.post("/v1/email-services/domains", { token: owner.token, body: { domain }, expect: 201 });
    return path.replace("{domain}", domain);
  }
  if (path.includes("/{message_id}")) {
    const body = { to_emails: ["a@example.com"], from_email: owner.email, subject: "Own", plain_text_content: "Own" };
    const sent = await http.post("/v1/email-services/emailvendor/send", { token: owner.token, body, expect: 200 });
    return path.replace("{message_id}", sent.body.id);
  }
  if (path.startsWith("/v1/automation/executions/")) {
    const name = await addFunction(owner, "return 1");
    return path.replace("{id}", String((await run(owner, name)).headers.get("x-execution-id")));
  }
  if (path === "/v1/automation/{automation_id}") {
    return path.replace("{automation_id}", await saveAutomation(owner, inRow([])));
  }
  if (!path.includes("/{id}")) return path.replace("{object}", "lead").replace("{user_id}", owner.id);
  const lead = await http.post("/v1/object/lead", { token: owner.token, body: { name: "Own" }, expect: 201 });
  return path.replace("{object}", "lead").replace("{id}", lead.body.id);
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const makeBadTokens = async (): Promise<Record<string, string>> => {
  const claims = claimsOf(owner.token);
  const header = headerOf(owner.token);
  const [head = "", body = "", signature = ""] = owner.token.split(".");
  const now = Math.floor(Date.now() / 1000);
  const foreign = await registerOrganization();
  const hmacText = `${encode({ ...header, alg: "HS256" })}.${body}`;
  const hmac = createHmac("sha256", await forge.publicKey())
    .update(hmacText)
    .digest("base64url");
  return {
    "an expired token": await forge.sign({ ...claims, iat: now - 1000, exp: now - 100 }),
    "a token from the future": await forge.sign({ ...claims, iat: now + 3600, exp: now + 7200 }),
    "a refresh token": owner.refreshToken,
    "a token of another kind": await forge.sign({ ...claims, typ: "document" }),
    "a token for another audience": await forge.sign({ ...claims, aud: "https://elsewhere.example" }),
    "a token of another issuer": await forge.sign({ ...claims, iss: "https://elsewhere.example" }),
    "a token with changed claims": `${head}.${encode({ ...claims, org: foreign.organizationId })}.${signature}`,
    "a token with a changed signature": `${head}.${body}.${signature.slice(0, -6)}AAAAAA`,
    "a token without a signature": `${encode({ alg: "none", typ: "JWT" })}.${body}.`,
    "a token signed with the public key as a secret": `${hmacText}.${hmac}`,
    "a token with an unknown key": `${encode({ ...header, kid: "00000000-0000-0000-0000-000000000000" })}.${body}.${signature}`,
    "a true token for an organization that the user is not in": await forge.sign({
      ...claims,
      org: foreign.organizationId,
    }),
    "a true token for an organization that does not exist": await forge.sign({
      ...claims,
      org: "org_0000000000000000",
    }),
    "a true token for the base database": await forge.sign({ ...claims, org: "base" }),
    "a true token of an unknown session": await forge.sign({ ...claims, sid: foreign.id }),
    "something that is no token": "abc",
  };
};

const newAppToken = async (): Promise<string> =>
  (await letIn(owner.token, await registerApp(owner.token, { scopes: ["all"] }))).access_token;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId, { permissions: [] });
  badTokens = await makeBadTokens();
  appToken = await newAppToken();
  const strict = await registerOrganization();
  await setUpApp(strict);
  unproven = await addUser(strict.organizationId, { isAccountAdmin: true });
  await requireFactor(strict);
});

// The tests of a route come one after the other: its function stays warm, and is not started for each of them.
describe.each(guarded.map(named))("%s, which needs a token", (name, contract) => {
  it("refuses a request without a token", async () => {
    const reply = await call(contract, undefined);
    expect(reply.status).toBe(401);
    expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer /);
    expect(reply.body.code).toBe("unauthenticated");
  });

  it("refuses every token that is not a valid access token", async () => {
    for (const [kind, token] of Object.entries(badTokens)) {
      const reply = await call(contract, token);
      expect(`${kind}: ${reply.status} ${reply.body?.code}`).toBe(`${kind}: 401 unauthenticated`);
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer /);
    }
  });

  if (operators.includes(contract)) {
    it("refuses the organization's owner", async () => {
      const reply = await call(contract, owner.token);
      expect(`${reply.status} ${reply.body.code}`).toBe("403 forbidden");
    });
  } else {
    it("lets the organization's owner in", async () => {
      // Logging out ends the session, so it gets a session of its own.
      const { token } = contract.operation === "logout" ? await signIn(owner.email) : owner;
      const reply = await call(contract, token, await pathOfOwn(contract));
      expect(reply.status).toBeLessThan(500);
      expect([401, 404, 405]).not.toContain(reply.status);
      expect(reply.body?.code).not.toBe("forbidden");
    });
  }

  if (!WITHOUT_REQUIRED_SECOND_FACTOR.includes(name)) {
    it("refuses a session without the second factor that the organization requires", async () => {
      const reply = await call(contract, unproven.token);
      expect(`${reply.status} ${reply.body?.code}`).toBe("403 second_factor_required");
    });
  }

  if (restricted.includes(contract)) {
    it("refuses a plain member", async () => {
      const reply = await call(contract, member.token);
      expect(`${reply.status} ${reply.body.code}`).toBe("403 forbidden");
    });
  }

  if (PEOPLE_ONLY.includes(name)) {
    it("refuses an app, whatever its scope", async () => {
      const reply = await call(contract, appToken);
      expect(`${reply.status} ${reply.body.code}`).toBe("403 app_not_allowed");
    });
  } else {
    it("lets an app in that has the scope `all`", async () => {
      // Logging out ends the session, so it gets a session of its own.
      const reply = await call(contract, contract.operation === "logout" ? await newAppToken() : appToken);
      expect(reply.status).not.toBe(401);
      expect(reply.body?.code).not.toBe("app_not_allowed");
    });
  }
});

describe("every route that needs a capability token", () => {
  it.each(internal.map(named))("%s refuses a request without a token, and every other token", async (_, contract) => {
    const tokens = { nothing: undefined, "an owner's": owner.token, "an app's": appToken, ...badTokens };
    for (const [kind, token] of Object.entries(tokens)) {
      const reply = await call(contract, token);
      expect(`${kind}: ${reply.status} ${reply.body?.code}`).toBe(`${kind}: 401 unauthenticated`);
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer /);
    }
  });
});

describe("every route that takes its token from the body too", () => {
  const send = (contract: Contract, body: object, token?: string) =>
    http.send(contract.method, concrete(contract), { body, ...(token === undefined ? {} : { token }) });

  it.each(beacons.map(named))(
    "%s accepts the owner's token in the body, and requires the other fields",
    async (_, contract) => {
      const reply = await send(contract, { token: owner.token });
      expect(reply.status).toBe(422);
    },
  );

  it.each(beacons.map(named))("%s refuses every invalid access token in the body", async (_, contract) => {
    for (const [kind, token] of [
      ...Object.entries(badTokens),
      ["nothing", ""],
      ["a number", 7],
      ["a list", [owner.token]],
    ]) {
      const reply = await send(contract, { token });
      expect(`${kind}: ${reply.status} ${reply.body?.code}`).toBe(`${kind}: 401 unauthenticated`);
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer /);
    }
  });

  it.each(beacons.map(named))("%s refuses two different tokens, even if one of them is valid", async (_, contract) => {
    expect((await send(contract, { token: member.token }, owner.token)).status).toBe(401);
    expect((await send(contract, { token: owner.refreshToken }, owner.token)).status).toBe(401);
    expect((await send(contract, { token: owner.token }, owner.refreshToken)).status).toBe(401);
    expect((await send(contract, { token: owner.token }, owner.token)).status).toBe(422);
  });

  it.each(beacons.map(named))("%s requires a token before it validates the body", async (_, contract) => {
    const raw = { raw: "{", headers: { "content-type": "text/csv" } };
    expect((await http.send(contract.method, concrete(contract), raw)).status).toBe(401);
    expect((await http.send(contract.method, concrete(contract), { ...raw, token: owner.token })).status).toBe(415);
  });
});

describe("every public route", () => {
  it.each(open.map(named))("%s answers without a token", async (name, contract) => {
    const reply = await call(contract, undefined);
    expect(reply.status).toBe(PUBLIC[name]);
  });
});

test("every route that is listed by its access exists", () => {
  const lists = [
    Object.keys(PUBLIC),
    CAPABILITY,
    ADMINISTRATORS_ONLY,
    SUPERUSERS_ONLY,
    PEOPLE_ONLY,
    WITHOUT_REQUIRED_SECOND_FACTOR,
    TOKEN_IN_BODY,
  ];
  const names = new Set(routes.map(nameOf));
  expect(lists.flat().filter((name) => !names.has(name))).toEqual([]);
});

describe("a request with more than one thing wrong", () => {
  it("reports the token before the body, and the body's type before its content", async () => {
    const path = "/v1/object/lead";
    const unreadable = { raw: "{", headers: { "content-type": "text/csv" } };
    expect((await http.post(path, unreadable)).status).toBe(401);
    expect((await http.post(path, { ...unreadable, token: owner.token })).status).toBe(415);
    const cut = await http.post(path, {
      raw: '{"name": "x"',
      headers: { "content-type": "application/json" },
      token: owner.token,
    });
    expect(cut.status).toBe(422);
    expect(cut.body.detail[0]).toMatchObject({ type: "json_invalid", ctx: { position: 12 } });
  });

  it("reports an unknown route before the token, and a wrong method with the allowed ones", async () => {
    expect((await http.get("/v1/nowhere")).body.code).toBe("route_not_found");
    const wrong = await http.put("/v1/status");
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET");
  });

  it("refuses a body larger than 1 MiB", async () => {
    const raw = JSON.stringify({ name: "x".repeat(1024 * 1024) });
    const reply = await http.post("/v1/object/lead", {
      raw,
      headers: { "content-type": "application/json" },
      token: owner.token,
    });
    expect(reply.status).toBe(413);
  });
});
