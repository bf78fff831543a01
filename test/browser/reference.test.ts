import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { http, platformUrl, registerOrganization } from "../platform.ts";
import { allow, typeCredentials } from "./steps.ts";
import { openWindow } from "./window.ts";

const FOLDER = join(import.meta.dirname, "../../test-results/pages");

const openReference = async (page: Page): Promise<void> => {
  await page.goto(`${platformUrl}/docs`);
  await page.getByRole("heading", { level: 1, name: "Tenantry" }).waitFor();
};

const find = async (page: Page, words: string): Promise<void> => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Enter search query" }).fill(words);
  await page.getByRole("option").filter({ hasText: words }).first().click();
};

const QUERY = "Query records, with the query in the body";

it("a person searches the reference, signs in there, sends a query and sees their rows", async () => {
  const owner = await registerOrganization();
  await http.post("/v1/object/lead", { token: owner.token, body: { name: "Grace Hopper" }, expect: 201 });
  const page = await openWindow({ viewport: { width: 1280, height: 900 } });
  await openReference(page);

  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const signIn = await opened;
  await typeCredentials(signIn, owner);
  const closed = signIn.waitForEvent("close");
  await allow(signIn);
  await closed;
  await page.getByText("Access Token").first().waitFor();

  await find(page, QUERY);
  await page.getByRole("heading", { name: QUERY }).waitFor();
  await page.getByRole("button", { name: /^Test Request ?\(post \/v1\/query\)$/ }).click();
  const answered = page.waitForResponse((reply) => reply.url() === `${platformUrl}/v1/query`);
  await page.getByRole("button", { name: /^Send/ }).first().click();
  const reply = await answered;
  expect(reply.status()).toBe(200);
  expect((await reply.json()).records).toEqual([{ name: "Grace Hopper", status: null }]);
  await page.getByText("Grace Hopper").first().waitFor();
  await page.screenshot({ path: join(FOLDER, "reference-query.png") });
});

it("shows samples of a request in several languages", async () => {
  const page = await openWindow({ viewport: { width: 1280, height: 900 } });
  await openReference(page);
  await find(page, QUERY);
  await page.getByRole("heading", { name: QUERY }).waitFor();
  for (const language of ["Shell", "Ruby", "Node.js", "PHP", "Python"]) {
    expect(await page.getByText(language, { exact: true }).count(), language).toBeGreaterThan(0);
  }
});

it.each([
  { view: "light", colorScheme: "light", width: 1280, height: 900 },
  { view: "dark", colorScheme: "dark", width: 1280, height: 900 },
  { view: "narrow", colorScheme: "dark", width: 320, height: 640 },
] as const)("the reference fits the screen: $view", async ({ view, colorScheme, width, height }) => {
  const page = await openWindow({ viewport: { width, height }, colorScheme });
  await openReference(page);
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  const dark = await page.evaluate<boolean>("document.body.classList.contains('dark-mode')");
  expect(dark).toBe(colorScheme === "dark");
  const overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate<number>(overhang)).toBe(0);
  await page.screenshot({ path: join(FOLDER, `reference-${view}.png`) });
});

it("without scripts the page leads to the OpenAPI document", async () => {
  const page = await openWindow({ javaScriptEnabled: false });
  await page.goto(`${platformUrl}/docs`);
  await page.getByRole("link", { name: "openapi.json" }).click();
  await page.waitForURL(`${platformUrl}/openapi.json`);
});
