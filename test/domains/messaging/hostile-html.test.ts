import fc from "fast-check";
import { Parser } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { htmlToText, sanitizeHtml } from "#shared/messaging/html/html";
import { propertyRuns } from "../../setup/property-runs.ts";
import { hostileHtml } from "./hostile-html.ts";

const SMALL = 32 * 1024;
const TIMES = 6;

const safeHtmlOf = async (html: string): Promise<string> => (await sanitizeHtml(html, 2 ** 24)).html;
const textOf = async (html: string): Promise<string> => (await htmlToText(html)).text;

/** Milliseconds of processor time, which other programs do not change much. The better of two. */
const costOf = async (act: (html: string) => Promise<string>, html: string): Promise<number> => {
  const once = async (): Promise<number> => {
    const before = process.threadCpuUsage();
    await act(html);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  return Math.min(await once(), await once());
};

describe.each([
  ["text", textOf, 8],
  ["safe HTML", safeHtmlOf, 20],
] as const)("the %s of hostile HTML", (_, act, mostGrowth) => {
  test.each(Object.entries(hostileHtml))("takes time in proportion to its length: %s", async (_name, make) => {
    await act(make(SMALL / 8));
    const small = await costOf(act, make(SMALL));
    const large = await costOf(act, make(SMALL * TIMES));
    // Quadratic time would be 36 times as much. The constant is for what does not depend on the length.
    expect(large).toBeLessThan(Math.max(small, 15) * TIMES * 3);
  });

  test.each(Object.entries(hostileHtml))("is at most a few times as long: %s", async (_name, make) => {
    const html = make(SMALL);
    expect((await act(html)).length).toBeLessThan(html.length * mostGrowth);
  });
});

const piece = fc.oneof(
  fc
    .constantFrom(
      ..."script style p div b a table tr td ul ol li blockquote img svg math title textarea noscript template form iframe pre br".split(
        " ",
      ),
    )
    .chain((name) => fc.constantFrom(`<${name}>`, `</${name}>`, `<${name} `, `<${name}/>`)),
  fc.constantFrom(
    ...[
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      '"',
      "'",
      ">",
      "<",
      "&lt;",
      "&#x3c;",
      "&#0;",
      "=",
      "style='display:none'",
      "hidden",
    ],
    ...[
      "href=javascript:alert(1)",
      "href='https://x.test/'",
      "src=//x.test/a",
      "onerror=alert(1)",
      "style='background:url(//x.test)'",
      "\0",
    ],
  ),
  fc.string({ maxLength: 5 }),
);
const soup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

const elementsOf = (html: string): (readonly [string, Readonly<Record<string, string>>])[] => {
  const found: (readonly [string, Readonly<Record<string, string>>])[] = [];
  const parser = new Parser({ onopentag: (name, attributes) => found.push([name, attributes]) });
  parser.end(html);
  return found;
};

const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|cid:|data:image\/(?:png|gif|jpe?g|webp);base64,)/i;

test("safe HTML has no element that runs, asks or loads, whatever it is made of", async () => {
  await fc.assert(
    fc.asyncProperty(soup, async (html) => {
      for (const [name, attributes] of elementsOf(await safeHtmlOf(html))) {
        expect(["script", "style", "iframe", "form", "svg", "math", "template", "title", "noscript"]).not.toContain(
          name,
        );
        for (const [attribute, value] of Object.entries(attributes)) {
          expect(attribute).not.toMatch(/^on/);
          if (attribute === "href" || attribute === "src") expect(value).toMatch(ADDRESS);
          if (attribute === "style") expect(value).not.toMatch(/url|expression|@import/i);
        }
      }
    }),
    propertyRuns(2_000),
  );
});

test("text of HTML has neither tags nor control characters, and is never longer than was asked for", async () => {
  await fc.assert(
    fc.asyncProperty(soup, fc.integer({ min: 1, max: 30 }), async (html, max_length) => {
      const { text, truncated } = await htmlToText(html, { max_length });
      expect([...text].length).toBeLessThanOrEqual(max_length);
      expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
      const whole = await textOf(html);
      expect(whole.startsWith(text)).toBe(true);
      expect(truncated).toBe(whole.length > text.length);
    }),
    propertyRuns(2_000),
  );
});

/** Opened and not closed, or closed and not opened. */
const unbalanced = (html: string): string[] => {
  const open: string[] = [];
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z0-9]+)(?:\s[^<>]*[^/])?>/g)) {
    if (slash === "") open.push(name);
    else if (open.at(-1) === name) open.pop();
    else open.push(`/${name}`);
  }
  return open;
};

test("safe HTML is cut at the length that was asked for, with all elements closed, and says so", async () => {
  const tags = fc.constantFrom(
    "<b>",
    "</b>",
    "<a href='https://x.test/'>",
    "<br>",
    "<img src=https://y.test/z>",
    "<abbr>",
  );
  const texts = fc.constantFrom("&amp;", '"', "\u{1f600}", "text", "</a>");
  const html = fc.array(fc.oneof(tags, texts), { maxLength: 40 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(html, fc.integer({ min: 0, max: 400 }), async (given, most) => {
      const { html: cut, truncated } = await sanitizeHtml(given, most);
      expect(cut.length).toBeLessThanOrEqual(most);
      expect(unbalanced(cut)).toEqual([]);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toMatch(/&(?!(?:amp|lt|gt|quot);)/);
      const whole = await safeHtmlOf(given);
      expect(truncated).toBe(whole !== cut);
    }),
    propertyRuns(2_000),
  );
});

test("safe HTML keeps form, links and images of the mail itself, and makes links of what it would load", async () => {
  const html = `<p style="color:red;background:url(http://t.test);position:fixed" onclick="x()">Hi <b>Ada</b></p>
<script>alert(1)</script><div style="display:none">hidden</div><form><input><button>go</button></form>
<a href="https://x.test/?a=1&amp;b=2">web</a><a href="javascript:alert(1)">script</a>
<img src="cid:logo@x" width="10"><img src="https://t.test/a.png" alt="Logo"><img src="https://t.test/p.gif" width="1">`;
  expect((await safeHtmlOf(html)).split("\n")).toEqual([
    '<p style="color:red">Hi <b>Ada</b></p>',
    "go",
    '<a href="https://x.test/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">web</a>' +
      '<a rel="noopener noreferrer nofollow" target="_blank">script</a>',
    '<img src="cid:logo@x" alt="" width="10" />' +
      '<a href="https://t.test/a.png" rel="noopener noreferrer nofollow" target="_blank">[Logo]</a>',
  ]);
});
