import type { Page } from "playwright-core";
import { expect } from "vitest";
import { serve } from "../cli/serve.ts";
import { type App, askToken, proofKey, registerApp } from "../endpoints/identity/apps.ts";
import { type HttpReply, http, platformUrl, type User } from "../platform.ts";

/** An app on this machine, with a redirect URI. */
export interface RunningApp extends App {
  readonly name: string;
  /** The requests to the redirect URI, oldest first. */
  readonly arrivals: readonly URL[];
}

const BACK = "<!doctype html><html lang=en><title>The app</title><h1>Back in the app</h1>";

/** Registers an app of this admin's organization. */
export const startApp = async ({ token }: User, type: "public" | "confidential", name = "Field Notes") => {
  const arrivals: URL[] = [];
  const url = await serve(({ url = "/" }, response) => {
    if (url.startsWith("/callback")) arrivals.push(new URL(url, redirect_uri));
    response.writeHead(url === "/favicon.ico" ? 204 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(url === "/favicon.ico" ? "" : BACK);
  });
  const redirect_uri = `${url}/callback`;
  const app: App = await registerApp(token, { name, type, redirect_uris: [redirect_uri] });
  return { ...app, name, redirect_uri, arrivals } satisfies RunningApp;
};

/** What an app keeps between request and response. */
export interface Journey {
  readonly app: RunningApp;
  readonly state: string;
  readonly verifier: string;
  readonly url: string;
}

export const journey = (app: RunningApp, more: Record<string, string> = {}): Journey => {
  const { verifier, challenge } = proofKey();
  const state = `state ${verifier.slice(0, 6)} & more`;
  const { client_id, redirect_uri } = app;
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const asked = { response_type: "code", client_id, redirect_uri, state, ...proof, ...more };
  return { app, state, verifier, url: `${platformUrl}/v1/oauth2/authorize?${new URLSearchParams(asked)}` };
};

/** Opens the authorization URL. */
export const setOut = async (page: Page, app: RunningApp, more?: Record<string, string>): Promise<Journey> => {
  const begun = journey(app, more);
  await page.goto(begun.url);
  return begun;
};

/** The response at the redirect URI, which must belong to the app's request. */
export const arrival = async (page: Page, { app, state }: Journey): Promise<URLSearchParams> => {
  await page.waitForURL(`${app.redirect_uri}?**`);
  await page.getByRole("heading", { name: "Back in the app" }).waitFor();
  const { searchParams } = app.arrivals.at(-1) ?? new URL(app.redirect_uri);
  expect(searchParams.get("state")).toBe(state);
  expect(searchParams.get("iss")).toBe(platformUrl);
  return searchParams;
};

/** Exchanges the code of the response. */
export const exchange = async (page: Page, going: Journey): Promise<HttpReply["body"]> => {
  const code = (await arrival(page, going)).get("code") ?? "";
  const { client_id, client_secret, redirect_uri } = going.app;
  const secret: Record<string, string> = client_secret === "" ? {} : { client_secret };
  const form = { grant_type: "authorization_code", client_id, ...secret, redirect_uri };
  const { status, body } = await askToken({ ...form, code, code_verifier: going.verifier });
  expect([status, body.error_description]).toEqual([200, undefined]);
  return body;
};

/** The user of the app's token, according to the platform. */
export const actsFor = async (page: Page, going: Journey) => {
  const { access_token } = await exchange(page, going);
  const { user, organization } = (await http.get("/v1/auth/load", { token: access_token, expect: 200 })).body;
  return { email: user.email as string, organization: organization.name as string };
};
