import { beforeAll, describe, expect, it } from "vitest";
import { serve } from "../cli/serve.ts";
import { platformUrl, registerOrganization, type User } from "../platform.ts";
import { arrival, exchange, journey, setOut, startApp } from "./app.ts";
import { allow, press, sees, typeCredentials } from "./steps.ts";
import { openWindow } from "./window.ts";

let owner: User;
let other: User;
beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization(), registerOrganization()]);
});

// These pages have no scripts.
describe("an invalid request of an app", () => {
  it.each([
    ["of an unknown client", { client_id: "nobody" }],
    ["with a redirect URI that is not registered", { redirect_uri: "https://elsewhere.example.com/callback" }],
    ["with a path that is not registered", { redirect_uri: "http://127.0.0.1:1/callback/elsewhere" }],
  ])("%s stays on the page, which asks for nothing", async (_, wrong) => {
    const [page, app] = await Promise.all([openWindow(), startApp(owner, "public")]);
    await setOut(page, app, wrong);
    expect(new URL(page.url()).origin).toBe(platformUrl);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).not.toBe("");
    expect(await page.locator("form, input, a[href*=elsewhere]").count()).toBe(0);
    expect(app.arrivals).toEqual([]);
  });

  it.each([
    ["without PKCE", { code_challenge: "" }, "invalid_request"],
    ["with an unknown scope", { scope: "everything" }, "invalid_scope"],
    ["for a token", { response_type: "token" }, "unsupported_response_type"],
  ])("%s goes back to the app once the person has signed in and has seen where they go", async (_, wrong, error) => {
    const [page, app] = await Promise.all([openWindow(), startApp(owner, "public")]);
    const going = await setOut(page, app, wrong);
    await typeCredentials(page, owner);
    await sees(page, /has asked for something that it cannot have$/);
    expect(await page.getByRole("main").innerText()).toContain("a program on this computer");
    expect(app.arrivals).toEqual([]);
    await press(page, /^Back to /);
    expect((await arrival(page, going)).get("error")).toBe(error);
  });
});

const hidden = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
    .join("");

/** A foreign page with a form like the platform's, whose button the person presses. */
const trap = (action: string, fields: Readonly<Record<string, string>>): Promise<string> =>
  serve((_, response) => {
    const form = `<form method="post" action="${action.replaceAll("&", "&amp;")}">${hidden(fields)}<button>Win a prize</button></form>`;
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><h1>Prize</h1>${form}`);
  });

describe("a form on a foreign page", () => {
  // Another port is another origin but the same site, so the browser sends the cookies. Another name is another site.
  it.each(["127.0.0.1", "localhost"])("at %s lets no app in, not even with the token of our form", async (host) => {
    const [page, app] = await Promise.all([openWindow(), startApp(owner, "public")]);
    const going = await setOut(page, app);
    await typeCredentials(page, owner);
    await sees(page, /^Allow /);
    const form_token = await page.locator("input[name=form_token]").first().inputValue();
    const action = going.url.replace("/v1/oauth2/authorize", "/v1/sign-in/decision");
    const address = await trap(action, { form_token, decision: "allow", organization_id: owner.organizationId });
    await page.goto(address.replace("127.0.0.1", host));
    await press(page, "Win a prize");
    await sees(page, "This page is too old");
    expect(app.arrivals).toEqual([]);
    // Nothing has changed for the person.
    await page.goto(going.url);
    await allow(page);
    await exchange(page, going);
  });

  it("cannot sign somebody in as another person", async () => {
    const [page, app] = await Promise.all([openWindow(), startApp(owner, "public")]);
    const going = await setOut(page, app);
    const form_token = await page.locator("input[name=form_token]").first().inputValue();
    const action = going.url.replace("/v1/oauth2/authorize", "/v1/sign-in/password");
    await page.goto(await trap(action, { form_token, username: other.email, password: other.password }));
    await press(page, "Win a prize");
    await sees(page, "This page is too old");
    await page.getByRole("link", { name: "Begin again" }).click();
    await sees(page, "Sign in");
  });

  it("cannot sign anybody out", async () => {
    const [page, app] = await Promise.all([openWindow(), startApp(owner, "public")]);
    const going = await setOut(page, app);
    await typeCredentials(page, owner);
    await sees(page, /^Allow /);
    await page.goto(await trap(going.url.replace("/v1/oauth2/authorize", "/v1/sign-in/sign-out"), {}));
    await press(page, "Win a prize");
    await page.getByRole("link", { name: "Begin again" }).click();
    await sees(page, /^Allow /);
  });
});

it("no other page can show the pages in a frame", async () => {
  const app = await startApp(owner, "public");
  const { url } = journey(app);
  const around = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<!doctype html><h1>Around</h1><iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`);
  });
  const page = await openWindow({ expected: /frame-ancestors 'none'/ });
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.goto(around);
  await refused;
  const [frame] = page.frames().slice(1);
  expect(await frame?.locator("input").count()).toBe(0);
});

it("the cookies are not readable by scripts, not sent with foreign forms, and end with the browser", async () => {
  const [page, app] = await Promise.all([openWindow(), startApp(owner, "public")]);
  await setOut(page, app);
  await typeCredentials(page, owner);
  await sees(page, /^Allow /);
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name }) => name).toSorted()).toEqual(["tenantry-form", "tenantry-session"]);
  for (const cookie of cookies) {
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/", domain: "127.0.0.1", expires: -1 });
  }
  expect(await page.evaluate("document.cookie")).toBe("");
});
