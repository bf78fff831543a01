import { beforeAll, expect, test } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const strip = async (html: string, options: Readonly<Record<string, unknown>> = {}) => {
  const body = { html, ...options };
  return (await http.post("/v1/email-services/strip-html", { token: owner.token, body, expect: 200 })).body;
};

test("paragraphs, headings, lists, quotes and links of HTML are readable as text", async () => {
  const html = `<h1>Hello &amp; welcome</h1><p>Dear <b>Ada</b>,<br>see <a href="https://x.test/?a=1&amp;b=2">the plan</a>.</p>
    <ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><ol start="3"><li>three</li></ol><blockquote>said</blockquote>`;
  expect(await strip(html)).toEqual({
    text:
      "Hello & welcome\n\nDear Ada,\nsee the plan [https://x.test/?a=1&b=2].\n\n" +
      "- one\n- two\n  - inner\n\n 3. three\n\n> said",
    truncated: false,
  });
});

test("the cells of a table's row are separated by bars, and those of a layout are paragraphs", async () => {
  const data = "<table><tr><th>Name</th><th>Amount</th></tr><tr><td>Ada</td><td>10</td></tr></table>";
  expect(await strip(data)).toMatchObject({ text: "Name | Amount\nAda | 10" });
  const layout = "<table><tr><td><p>Left</p></td><td>&nbsp;</td><td><p>Right</p></td></tr></table>";
  expect(await strip(layout)).toMatchObject({ text: "Left\n\nRight" });
});

test("scripts, styles, hidden parts and tracking pixels are not in the text of HTML", async () => {
  const html = `<head><title>Title</title><style>p { color: red }</style></head><script>alert("<p>1</p>")</script>
    <div style="Display : none !important">preview</div><p hidden>hidden</p><svg><text>drawn</text></svg><!-- comment -->
    <img src="https://t.test/1.gif" width="1" height="1" alt="pixel"><img src="logo.png" alt="Our logo"> Seen`;
  expect(await strip(html)).toEqual({ text: "Our logo Seen", truncated: false });
});

test("addresses of links are left out on demand, and those that are no web, mail or telephone address always", async () => {
  const html = `<a href="https://x.test/">web</a> <a href="javascript:alert(1)">script</a> <a href="data:text/html,x">data</a>`;
  expect(await strip(html)).toMatchObject({ text: "web [https://x.test/] script data" });
  expect(await strip(html, { preserve_links: false })).toMatchObject({ text: "web script data" });
});

test("text is cut at max_length after a whole character", async () => {
  expect(await strip("<p>héllo</p>", { max_length: 4 })).toEqual({ text: "héll", truncated: true });
  expect(await strip("<p>héllo</p>", { max_length: 5 })).toEqual({ text: "héllo", truncated: false });
  expect(await strip("<p>a👩‍👩‍👧‍👧b</p>", { max_length: 3 })).toEqual({ text: "a", truncated: true });
  expect(await strip("<p>a👍b</p>", { max_length: 2 })).toEqual({ text: "a👍", truncated: true });
});

test("text that is longer than its HTML is cut at 1,048,576 characters", async () => {
  const { text, truncated } = await strip("<ul><li>".repeat(50) + "<br>a".repeat(200_000));
  expect(truncated).toBe(true);
  expect(text).toHaveLength(1_048_576);
});

test("HTML beyond 1 MiB is refused, and so is a max_length below one", async () => {
  const token = owner.token;
  const body = { html: "x".repeat(1024 * 1024) };
  await http.post("/v1/email-services/strip-html", { token, body, expect: 413 });
  const refused = await http.post("/v1/email-services/strip-html", {
    token,
    body: { html: "", max_length: 0 },
    expect: 422,
  });
  expect(refused.body.detail).toMatchObject([{ loc: ["body", "max_length"] }]);
});
