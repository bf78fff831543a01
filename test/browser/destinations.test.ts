import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { proofKey, registerApp } from "../endpoints/identity/apps.ts";
import { platformUrl, registerOrganization, type User } from "../platform.ts";
import { press, sees, typeCredentials } from "./steps.ts";
import { openWindow } from "./window.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

/**
 * Waits for the target of the platform's next redirect, even if no browser can follow it. Await it before the action.
 */
const listenForRedirect = async (page: Page): Promise<{ location: Promise<string> }> => {
  const session = await page.context().newCDPSession(page);
  const { promise, resolve } = Promise.withResolvers<string>();
  session.on("Network.responseReceivedExtraInfo", ({ statusCode, headers }) => {
    if (statusCode === 303) resolve(headers.location ?? "");
  });
  await session.send("Network.enable");
  // In an object, because an async function's promise would be awaited too.
  return { location: promise };
};

// The page's policy names the targets of its forms. A browser blocks all others, redirects included.
it.each([
  ["https://app.example.com/callback", "app.example.com"],
  ["http://[::1]:8123/callback", "a program on this computer"],
  ["com.example.notes:/callback", "the app on this device (com.example.notes:)"],
])("the browser is led to %s, which the page names", async (redirect_uri, named) => {
  const [page, { client_id }] = await Promise.all([
    openWindow({ expected: /^asked for (?:https:\/\/app\.example\.com|http:\/\/\[::1\]:8123|com\.example\.notes:)\// }),
    registerApp(owner.token, { type: "public", redirect_uris: [redirect_uri] }),
  ]);
  await page.route(`${redirect_uri}**`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Back</h1>" }));
  const asked = { response_type: "code", client_id, redirect_uri, code_challenge: proofKey().challenge };
  const query = new URLSearchParams({ ...asked, code_challenge_method: "S256" });
  await page.goto(`${platformUrl}/v1/oauth2/authorize?${query}`);
  await typeCredentials(page, owner);
  await sees(page, /^Allow /);
  expect(await page.getByRole("main").innerText()).toContain(named);
  const redirect = await listenForRedirect(page);
  await press(page, "Allow");
  const location = new URL(await redirect.location);
  expect(location.href.startsWith(redirect_uri)).toBe(true);
  expect(location.searchParams.get("code")).toBeTruthy();
  // No program on this machine handles an app's own scheme.
  if (location.protocol.startsWith("http")) await page.getByRole("heading", { name: "Back" }).waitFor();
});
