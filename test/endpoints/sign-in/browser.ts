import assert from "node:assert/strict";
import { type HttpReply, http, platformUrl } from "../../platform.ts";

export interface Form {
  readonly action: string;
  readonly hidden: Record<string, string>;
}

export interface Page extends HttpReply {
  readonly title: string;
  readonly heading: string;
  /** The page's error message, if any. */
  readonly alert: string | undefined;
  readonly forms: readonly Form[];
  /** The URL of the page. */
  readonly path: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const unescaped = (text: string): string => text.replace(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? "?");

const textOf = (markup: string): string =>
  unescaped(
    markup
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  );

const firstText = (html: string, pattern: RegExp): string | undefined => {
  const found = pattern.exec(html)?.[1];
  return found === undefined ? undefined : textOf(found);
};

const formsOf = (html: string): Form[] =>
  [...html.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = "", content = ""]) => ({
      action: unescaped(action),
      hidden: Object.fromEntries(
        [...content.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
          ([, name = "", value = ""]) => [name, unescaped(value)],
        ),
      ),
    }),
  );

const pageOf = (reply: HttpReply, path: string): Page => ({
  ...reply,
  title: firstText(reply.text, /<title>(.*?)<\/title>/) ?? "",
  heading: firstText(reply.text, /<h1>(.*?)<\/h1>/) ?? "",
  alert: firstText(reply.text, /role="alert"[^>]*>(.*?)<\/div>/s),
  forms: formsOf(reply.text),
  path,
});

/** A minimal browser without scripts: it keeps cookies and follows redirects within the platform. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly userAgent = `Test browser ${Math.random()}`;

  async open(path: string): Promise<Page> {
    return this.#follow(await http.get(path, { headers: this.#headers() }), path);
  }

  /** Sends the page's form for a step. */
  async submit(page: Page, step: string, fields: Record<string, string> = {}): Promise<Page> {
    const form = page.forms.find(({ action }) => action.startsWith(`/v1/sign-in/${step}`));
    assert(form, `${page.heading} has no form for ${step}:\n${page.text}`);
    return this.post(
      form.action,
      { ...form.hidden, ...fields },
      { origin: platformUrl, "sec-fetch-site": "same-origin" },
    );
  }

  async post(action: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    return this.#follow(await http.post(action, { form, headers: { ...headers, ...this.#headers() } }), action);
  }

  async #follow(reply: HttpReply, path: string): Promise<Page> {
    this.#keep(reply);
    const location = reply.headers.get("location");
    return reply.status === 303 && location?.startsWith("/") ? this.open(location) : pageOf(reply, path);
  }

  #headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { "user-agent": this.userAgent, ...(cookie === "" ? {} : { cookie }) };
  }

  #keep(reply: HttpReply): void {
    for (const line of reply.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      assert.deepEqual(
        attributes.filter((attribute) => !attribute.startsWith("Max-Age")),
        ["Path=/", "HttpOnly", "SameSite=Lax"],
      );
      if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** The parameters of the authorization request. */
export const authorizationPath = (parameters: Record<string, string | undefined>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ response_type: "code", ...parameters })) {
    if (value !== undefined) query.append(name, value);
  }
  return `/v1/oauth2/authorize?${query}`;
};

/** The response in the redirect to the app. */
export const answerAt = (page: Page, redirectUri: string): URLSearchParams => {
  assert.equal(page.status, 303, page.text);
  const location = new URL(page.headers.get("location") ?? "");
  const expected = new URL(redirectUri);
  assert.equal(location.origin + location.pathname, expected.origin + expected.pathname);
  return location.searchParams;
};
