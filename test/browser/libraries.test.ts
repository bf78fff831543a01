import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { http, platformUrl, registerOrganization, type User } from "../platform.ts";
import { type RunningApp, startApp } from "./app.ts";
import { allow, typeCredentials } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

/** The page where the browser ends that follows the library's URL. */
const walked = async (page: Page, address: URL, { redirect_uri }: RunningApp): Promise<URL> => {
  await page.goto(address.href);
  await typeCredentials(page, owner);
  await allow(page);
  await page.waitForURL(`${redirect_uri}?**`);
  return new URL(page.url());
};

const load = async (token: string): Promise<number> => (await http.get("/v1/auth/load", { token })).status;

describe.each(scripting)("a standard client with Chromium $scripts", ({ javaScriptEnabled }) => {
  it("openid-client", async () => {
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "confidential")]);
    const { client_id, client_secret, redirect_uri } = app;
    const config = await openid.discovery(new URL(platformUrl), client_id, client_secret, undefined, {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const code_challenge = await openid.calculatePKCECodeChallenge(pkceCodeVerifier);
    const proof = { code_challenge, code_challenge_method: "S256" };
    const address = openid.buildAuthorizationUrl(config, { redirect_uri, scope: "read write", state, ...proof });
    const arrived = await walked(page, address, app);
    const granted = await openid.authorizationCodeGrant(config, arrived, { pkceCodeVerifier, expectedState: state });
    expect(await load(granted.access_token)).toBe(200);
  });

  it("oauth4webapi", async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const [page, app] = await Promise.all([openWindow({ javaScriptEnabled }), startApp(owner, "public")]);
    const issuer = new URL(platformUrl);
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const { client_id, redirect_uri } = app;
    const client: oauth.Client = { client_id };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const proof = { code_challenge, code_challenge_method: "S256" };
    const address = new URL(server.authorization_endpoint ?? "");
    const asked = { client_id, redirect_uri, response_type: "code", scope: "read", state, ...proof };
    address.search = new URLSearchParams(asked).toString();
    const answer = oauth.validateAuthResponse(server, client, await walked(page, address, app), state);
    const none = oauth.None();
    const granted = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, none, answer, redirect_uri, verifier, insecure),
    );
    expect(granted.scope).toBe("read");
    expect(await load(granted.access_token)).toBe(200);
  });
});
