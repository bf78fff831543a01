import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  confirmationTokenOf,
  createUser,
  forge,
  http,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { claimsOf, headerOf } from "../../setup/forge-token.ts";
import { type App, askToken, consent, letIn, registerApp } from "./apps.ts";
import { confirm, forgot } from "./mailbox.ts";
import { begin, mailedCode } from "./second-factors.ts";
import { load } from "./sessions.ts";

let owner: User;
let member: User;
let app: App;
beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
  app = await registerApp(owner.token);
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("an access token", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = createPublicKey(privateKey).export({ format: "jwk" });

  /** The owner's claims, signed by a key of the attacker that the header contains. */
  const offered = (header: Record<string, unknown>): string => {
    const text = `${encode({ ...headerOf(owner.token), ...header })}.${encode(claimsOf(owner.token))}`;
    return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
  };

  it("is verified only with the platform's keys, whatever key its header contains or names", async () => {
    const headers = [
      { jwk },
      { jwk: { ...jwk, kid: headerOf(owner.token).kid } },
      { kid: "mine", jwk: { ...jwk, kid: "mine" } },
      { jku: "https://evil.example/jwks.json" },
      { kid: "https://evil.example/jwks.json" },
      { kid: "../../../../dev/null" },
      { x5u: "https://evil.example/certificate.pem" },
      { x5c: [Buffer.from("a certificate").toString("base64")] },
    ];
    for (const header of headers) {
      const reply = await load(offered(header));
      expect([header, reply.status, reply.body.code]).toEqual([header, 401, "unauthenticated"]);
    }
  });

  it.each(["none", "None", "HS256", "RS384", "RS512", "PS256", "ES256", ""])(
    "is refused when it says to be signed by %j",
    async (alg) => {
      const [, body, signature] = owner.token.split(".");
      const head = encode({ ...headerOf(owner.token), alg });
      expect((await load(`${head}.${body}.${signature}`)).status).toBe(401);
      expect((await load(await forge.sign(claimsOf(owner.token), { alg }))).status).toBe(401);
    },
  );

  it("is not accepted in the query string, which browsers and logs store", async () => {
    const query = { access_token: owner.token, token: owner.token };
    expect((await http.get("/v1/auth/load", { query })).status).toBe(401);
    expect((await http.post("/v1/query", { query, body: { query: "SELECT name FROM lead" } })).status).toBe(401);
  });

  it("acts for the user in `sub`, whatever email it contains", async () => {
    const token = await forge.sign({ ...claimsOf(member.token), email: owner.email });
    expect((await load(token)).body.user).toMatchObject({ id: member.id, email: member.email });
  });
});

/** One secret of each kind. */
const oneOfEach = async (): Promise<Record<string, string>> => {
  const person = await createUser(owner.organizationId, { twoFactor: "email" });
  const waiting = await begin(person);
  const code = await mailedCode(person);
  const { email } = await registerOrganization();
  const granted = await letIn(member.token, app);
  return {
    "an access token": member.token,
    "an app's access token": granted.access_token,
    "a refresh token": member.refreshToken,
    "an app's refresh token": granted.refresh_token,
    "an authorization code": (await consent(member.token, app)).body.code,
    "a client's secret": app.client_secret,
    "a waiting sign-in": waiting.session_id,
    "a mailed code": code,
    "a confirmation token": await confirmationTokenOf(email),
    "a reset token": await forgot(person.email),
  };
};

describe("every kind of secret", () => {
  const { email } = { email: "nobody@example.test" };
  const grant = (more: Record<string, string>) => {
    const { client_id, client_secret, redirect_uri } = app;
    return askToken({ client_id, client_secret, redirect_uri, ...more });
  };

  /** Where secrets are accepted, and of which kind. */
  const doors: Record<string, { takes: string[]; open: (secret: string) => Promise<{ status: number }> }> = {
    "the API": { takes: ["an access token", "an app's access token"], open: load },
    "POST /v1/oauth2/refresh": {
      takes: ["a refresh token"],
      open: (refresh_token) => http.post("/v1/oauth2/refresh", { body: { refresh_token } }),
    },
    "the refresh_token grant": {
      takes: ["an app's refresh token"],
      open: (refresh_token) => grant({ grant_type: "refresh_token", refresh_token }),
    },
    "the authorization_code grant": {
      takes: ["an authorization code"],
      open: (code) => grant({ grant_type: "authorization_code", code }),
    },
    "client authentication": {
      takes: ["a client's secret"],
      open: (client_secret) => grant({ grant_type: "refresh_token", refresh_token: "x", client_secret }),
    },
    "POST /v1/oauth2/verify-2fa": {
      takes: [],
      open: (code) => http.post("/v1/oauth2/verify-2fa", { body: { email, code: code.slice(0, 64) } }),
    },
    "POST /v1/auth/email/confirm": {
      takes: ["a confirmation token"],
      open: (token) => confirm(token.slice(0, 200)),
    },
    "POST /v1/reset-password": {
      takes: ["a reset token"],
      open: (token) =>
        http.post("/v1/reset-password", { body: { token: token.slice(0, 200), password: "another long passphrase" } }),
    },
  };

  it("is accepted only for its own purpose", async () => {
    const secrets = await oneOfEach();
    for (const secret of Object.values(secrets)) expect(secret).not.toBe("");
    const opened: string[] = [];
    for (const [door, { open }] of Object.entries(doors)) {
      for (const [kind, secret] of Object.entries(secrets)) {
        const { status } = await open(secret);
        // An authenticated client is told that its refresh token is invalid.
        if (status < 400 || (door === "client authentication" && status === 400)) opened.push(`${kind}: ${door}`);
      }
    }
    const expected = Object.entries(doors).flatMap(([door, { takes }]) => takes.map((kind) => `${kind}: ${door}`));
    expect(opened.toSorted()).toEqual(expected.toSorted());
  });
});
