import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { routes } from "#contracts/routes";
import { openapiDocument, referencePage } from "#shared/openapi/openapi";
import { exampleContracts } from "./example-contracts.ts";
import { schemaValidator } from "./schema-validator.ts";

const options = { version: "1.2.3", server: "https://api.tenantry.test" };
const document = openapiDocument(options);
const { html, contentSecurityPolicy } = referencePage(document);
const example = referencePage(openapiDocument({ ...options, contracts: exampleContracts })).html;

const attributes = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map((match) => match[1] ?? "");

const unescaped = (text: string): string =>
  text.replace(
    /&(?:amp|lt|gt|quot|#39);/g,
    (entity) => ({ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' })[entity] ?? "'",
  );

const section = (operation: string): string =>
  html.slice(html.indexOf(`<section class="operation" id="${operation}"`)).split("</section>")[0] ?? "";

test("every route has its place, its method, its path and a command", () => {
  for (const { operation, method } of routes) {
    const section =
      html.slice(html.indexOf(`<section class="operation" id="${operation}"`)).split("</section>")[0] ?? "";
    expect(section).toContain(`>${method}</span>`);
    expect(section).toContain("curl");
    expect(section).toContain("Errors");
  }
});

test("every link within the page leads to one element, and no id is used twice", () => {
  const ids = attributes(html, "id");
  expect(new Set(ids).size).toBe(ids.length);
  const anchors = attributes(html, "href").filter((href) => href.startsWith("#"));
  expect(anchors.length).toBeGreaterThan(routes.length);
  for (const anchor of new Set(anchors)) expect(ids).toContain(anchor.slice(1));
});

test("nothing is loaded from outside", () => {
  const loaded = [...attributes(html, "src"), ...attributes(html, "href")].filter(
    (address) => !address.startsWith("#") && !address.startsWith("data:"),
  );
  expect(loaded).toEqual(["openapi.json"]);
  expect(html).not.toMatch(/@import|url\(/);
});

test("the policy allows this style sheet and this script, and nothing else", () => {
  for (const element of ["style", "script"] as const) {
    const blocks = [...html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, "g"))];
    expect(blocks).toHaveLength(1);
    const hash = createHash("sha256")
      .update(blocks[0]?.[1] ?? "")
      .digest("base64");
    expect(contentSecurityPolicy).toContain(`${element}-src 'sha256-${hash}'`);
  }
  expect(contentSecurityPolicy).toMatch(/^default-src 'none'; /);
  expect(contentSecurityPolicy).not.toContain("unsafe");
  expect(html).not.toMatch(/ style=| on\w+=/);
});

test("what a contract says is text, whatever it contains", () => {
  expect(example).not.toMatch(/<b[ >]/);
  expect(example).toContain("&lt;b title=&quot;x&quot;&gt;tag&lt;/b&gt;");
  expect(example).toContain("Paint &lt;b&gt;a folder&lt;/b&gt; &amp; what&#39;s in it");
});

test("descriptions keep their paragraphs, lists and code", () => {
  const contract = { ...exampleContracts[0], description: "One.\n- `a`\n- **b**\n\n```\nSELECT <x>\n\n- y\n```\nEnd." };
  const page = referencePage(
    openapiDocument({ ...options, contracts: [contract as (typeof exampleContracts)[number]] }),
  ).html;
  expect(page).toContain('<p>One.</p><ul class="points"><li><code>a</code></li><li><strong>b</strong></li></ul>');
  expect(page).toContain("<code>SELECT &lt;x&gt;\n\n- y</code></pre><p>End.</p>");
});

test("a query is left to curl to encode where there is no body", () => {
  expect(unescaped(section("getQuery"))).toMatch(/curl -G '[^']+\/v1\/query' \\\n {2}--data-urlencode 'q=SELECT /);
});

test("the command quotes for the shell, encodes for the address and carries what is required", () => {
  const command = /<code>(curl -X POST[^<]*)<\/code>/
    .exec(example)?.[1]
    ?.replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"');
  expect(command?.split(" \\\n  ")).toEqual([
    "curl -X POST 'https://api.tenantry.test/v1/folders/a%2Fb'\\''c/paint?ids=a+b'",
    '-H "Authorization: Bearer $TOKEN"',
    "-H 'x-reason: string'",
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify({ colour: { name: "string" } }, null, 2)}'`,
  ]);
});

test.each(routes.map((route) => [route.operation, route] as const))(
  "the examples of %s fit its schemas",
  (_name, route) => {
    const problemOf = schemaValidator(document);
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    const [request = "", reply] = [
      ...section(route.operation).matchAll(/<\/figcaption><pre[^>]*><code>([^<]*)<\/code>/g),
    ].map((match) => unescaped(match[1] ?? ""));
    const body = / -d '(.*)'$/s.exec(request)?.[1]?.replaceAll("'\\''", "'");
    const sent = operation?.requestBody?.content["application/json"];
    expect(body === undefined).toBe(sent === undefined);
    if (body !== undefined && sent) expect(problemOf(sent.schema, JSON.parse(body))).toBeUndefined();
    const [answered] = Object.values(operation?.responses ?? {});
    const schema = answered?.content?.["application/json"]?.schema;
    expect(reply === undefined).toBe(schema === undefined);
    if (reply !== undefined && schema) expect(problemOf(schema, JSON.parse(reply))).toBeUndefined();
  },
);

test("there is one main heading, and no level is skipped", () => {
  const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map((match) => Number(match[1]));
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  for (const landmark of ["<main", "<nav aria-label=", '<html lang="en"', 'href="#main"'])
    expect(html).toContain(landmark);
});

test("text stands out from its ground by 4.5 : 1 in light and in dark", () => {
  const channel = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
      channel(Number.parseInt(hex.slice(at, at + 2), 16) / 255),
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = "", dark = ""] = [...html.matchAll(/:root \{([^}]*)\}/g)].map((match) => match[1] ?? "");
  const colours = (text: string): Map<string, string> =>
    new Map([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]));
  for (const scheme of [colours(light), new Map([...colours(light), ...colours(dark)])]) {
    const hues = ["green", "blue", "amber", "red", "violet"];
    const pairs = [
      ...["ink", "soft", "accent", ...hues].flatMap((name) => [[name, "paper"] as const, [name, "panel"] as const]),
      ...hues.map((name) => [name, `${name}-paper`] as const),
      ["code-ink", "code-paper"] as const,
      ["code-soft", "code-paper"] as const,
    ];
    for (const [text, ground] of pairs) {
      const [brighter = 0, darker = 0] = [text, ground]
        .map((name) => luminance(scheme.get(name) ?? ""))
        .sort((a, b) => b - a);
      expect((brighter + 0.05) / (darker + 0.05), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});

test("a page for ninety routes stays below a megabyte", () => {
  const perRoute = html.length / routes.length;
  expect(perRoute * 90).toBeLessThan(1024 * 1024);
});
