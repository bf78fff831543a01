import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import simple from "simple-oauth2";
import { beforeAll, describe, expect, it } from "vitest";
import { http, platformUrl, registerOrganization, type User } from "../../platform.ts";
import { type App, consent, registerApp } from "./apps.ts";

/** Without a query, which openid-client would confuse with the response's. */
const REDIRECT = "https://app.example.com/callback";
const redirect_uris = [REDIRECT];

let owner: User;
let app: App;
let publicApp: App;
let machine: App;
beforeAll(async () => {
  owner = await registerOrganization();
  [app, publicApp, machine] = await Promise.all([
    registerApp(owner.token, { redirect_uris }),
    registerApp(owner.token, { type: "public", redirect_uris }),
    registerApp(owner.token, { run_as: owner.id }),
  ]);
});

const load = async (token: string) => (await http.get("/v1/auth/load", { token })).status;

/** The browser's way: the person consents to the request in the library's URL. */
const followed = async (address: URL): Promise<URL> => {
  const { client_id = "", redirect_uri = "", ...more } = Object.fromEntries(address.searchParams);
  const { body } = await consent(owner.token, { client_id, redirect_uri, client_secret: "" }, more);
  return new URL(body.redirect_url);
};

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const issuer = new URL(platformUrl);
    const reply = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
    return oauth.processDiscoveryResponse(issuer, reply);
  };

  it("discovers, exchanges a code with PKCE, validates the token and refreshes, as a public client", async () => {
    const server = await discover();
    const client: oauth.Client = { client_id: publicApp.client_id };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(server.authorization_endpoint ?? "");
    address.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: "read",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await followed(address), state);
    const none = oauth.None();
    const granted = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, none, parameters, REDIRECT, verifier, insecure),
    );
    expect(granted.scope).toBe("read");
    expect(await load(granted.access_token)).toBe(200);
    const next = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, none, granted.refresh_token ?? "", insecure),
    );
    expect(next.refresh_token).not.toBe(granted.refresh_token);
    expect(await load(next.access_token)).toBe(200);
  });

  it("understands our errors", async () => {
    const server = await discover();
    const client: oauth.Client = { client_id: app.client_id };
    const ask = async (secret: string, token: string) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, oauth.ClientSecretPost(secret), token, insecure),
      );
    await expect(ask(app.client_secret, "trt_unknown")).rejects.toMatchObject({
      error: "invalid_grant",
      error_description: expect.any(String),
      status: 400,
    });
    await expect(ask("wrong", "trt_unknown")).rejects.toMatchObject({ status: 401 });
  });

  it("authenticates a client by HTTP Basic", async () => {
    const server = await discover();
    const client: oauth.Client = { client_id: machine.client_id };
    const basic = oauth.ClientSecretBasic(machine.client_secret);
    const reply = await oauth.clientCredentialsGrantRequest(server, client, basic, { scope: "read" }, insecure);
    const { access_token } = await oauth.processClientCredentialsResponse(server, client, reply);
    expect(await load(access_token)).toBe(200);
  });
});

describe("openid-client", () => {
  const connect = ({ client_id, client_secret }: App) =>
    openid.discovery(new URL(platformUrl), client_id, client_secret, undefined, {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });

  it("discovers, exchanges a code with PKCE and refreshes, as a confidential client", async () => {
    const config = await connect(app);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: "read write",
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state,
    });
    const arrived = await followed(address);
    const granted = await openid.authorizationCodeGrant(config, arrived, { pkceCodeVerifier, expectedState: state });
    expect(await load(granted.access_token)).toBe(200);
    const next = await openid.refreshTokenGrant(config, granted.refresh_token ?? "");
    expect(await load(next.access_token)).toBe(200);
    const again = openid.authorizationCodeGrant(config, arrived, { pkceCodeVerifier, expectedState: state });
    await expect(again).rejects.toMatchObject({ error: "invalid_grant" });
    expect(await load(next.access_token)).toBe(401);
  });
});

describe("simple-oauth2", () => {
  it.each(["json", "form"] as const)(
    "gets tokens with a body in %s, the secret in header or body",
    async (bodyFormat) => {
      for (const authorizationMethod of ["header", "body"] as const) {
        const options = { bodyFormat, authorizationMethod };
        const auth = { tokenHost: platformUrl, tokenPath: "/v1/oauth2/token" };
        const alone = new simple.ClientCredentials({
          client: { id: machine.client_id, secret: machine.client_secret },
          auth,
          options,
        });
        const { token } = await alone.getToken({ scope: "read" });
        expect(await load(String(token.access_token))).toBe(200);
        const client = { id: app.client_id, secret: app.client_secret };
        const withCode = new simple.AuthorizationCode({
          client,
          auth: { ...auth, authorizePath: "/v1/oauth2/authorize" },
          options,
        });
        const address = new URL(withCode.authorizeURL({ redirect_uri: REDIRECT, scope: "read", state: "s" }));
        const code = (await followed(address)).searchParams.get("code") ?? "";
        const granted = await withCode.getToken({ code, redirect_uri: REDIRECT });
        const next = await granted.refresh();
        expect(await load(String(next.token.access_token))).toBe(200);
      }
    },
  );
});
