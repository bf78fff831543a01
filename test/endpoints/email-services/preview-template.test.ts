import { beforeAll, describe, expect, test } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const previewAs = (user: User, body: object, expected: number) =>
  http.post("/v1/email-services/preview-template", { token: user.token, body, expect: expected });

const preview = async (body: object) => (await previewAs(owner, body, 200)).body;
const issuesOf = async (body: object) => (await previewAs(owner, body, 422)).body.detail;

const create = async (object: string, fields: object): Promise<string> => {
  const { body } = await http.post(`/v1/object/${object}`, { token: owner.token, body: fields, expect: 201 });
  return body.id;
};

test("a preview renders all parts, escapes values in the HTML alone, and writes styles into elements", async () => {
  const html = "<style>p { color: red }</style><p>Dear {{ contact.name }},</p><p>{{ text | upcase }}</p>";
  const data = { contact: { name: "<Ada> & Co" }, text: "hello" };
  expect(await preview({ subject: "For {{ contact.name }}\n\n", html, data })).toEqual({
    subject: "For <Ada> & Co",
    html: '<p style="color: red;">Dear &lt;Ada&gt; &amp; Co,</p><p style="color: red;">HELLO</p>',
    text: "Dear <Ada> & Co,\n\nHELLO",
    variables: ["contact.name", "text"],
    missing: [],
  });
});

test("a preview names what the data do not have, with part, line and column", async () => {
  const html = "<p>{{ contact.name }}</p>\n<p>{{ contact.phone }} {{ items[0].price }} {{ items.size }}</p>";
  const data = { contact: { name: null }, items: [{ name: "a" }] };
  const shown = await preview({ html, text: "{{ unknown }}{% assign own = 1 %}{{ own }}", data });
  expect(shown.variables).toEqual(["contact.name", "contact.phone", "items.size", "items[0].price", "unknown"]);
  expect(shown.missing).toEqual([
    { name: "contact.phone", part: "html", line: 2, column: 7 },
    { name: "items[0].price", part: "html", line: 2, column: 27 },
    { name: "unknown", part: "text", line: 1, column: 4 },
  ]);
});

test("a preview of a stored template reads a record within the caller's rights", async () => {
  const template_id = await create("template", {
    name: "Welcome",
    subject: "Hi {{ lead.name }}",
    text: "{{ record.id }}",
  });
  const id = await create("lead", { name: "Grace" });
  const body = { template_id, record: { object: "Lead", id } };
  expect(await preview(body)).toMatchObject({ subject: "Hi Grace", text: id, missing: [] });
  expect(await preview({ ...body, data: { lead: { name: "Other" } } })).toMatchObject({ subject: "Hi Other" });
  const stranger = await registerOrganization();
  await previewAs(stranger, body, 404);
  await previewAs(stranger, { text: "x", record: body.record }, 404);
  const permission = await create("permission", { name: "Nothing", object_permissions: { template: { read: true } } });
  const reader = await addUser(owner.organizationId, { permissions: [permission] });
  await previewAs(reader, body, 403);
});

test("a preview needs either a stored template or parts", async () => {
  expect(await issuesOf({})).toMatchObject([{ loc: ["body", "template_id"] }]);
  expect(await issuesOf({ template_id: "x", text: "y" })).toMatchObject([{ loc: ["body", "template_id"] }]);
});

describe("a template is refused with line and column", () => {
  test("if it does not parse, for all parts at once", async () => {
    expect(await issuesOf({ subject: "{{ name", html: "<p>\n  {% foo %}</p>", text: "{{ a | shout }}" })).toEqual([
      {
        loc: ["body", "subject"],
        msg: 'Line 1, column 1: output "{{ name" not closed',
        type: "invalid_template",
        ctx: { part: "subject", line: 1, column: 1 },
      },
      {
        loc: ["body", "html"],
        msg: 'Line 2, column 3: tag "foo" not found',
        type: "invalid_template",
        ctx: { part: "html", line: 2, column: 3 },
      },
      {
        loc: ["body", "text"],
        msg: "Line 1, column 1: undefined filter: shout",
        type: "invalid_template",
        ctx: { part: "text", line: 1, column: 1 },
      },
    ]);
  });

  test("if it reads files or other templates", async () => {
    for (const tag of ["render", "include", "layout", "block"]) {
      const text = `{% ${tag} 'package.json' %}`;
      expect(await issuesOf({ text })).toMatchObject([{ type: "invalid_template", ctx: { line: 1, column: 1 } }]);
    }
  });

  test.each([
    ["counts to a thousand million", "{% for i in (1..1000000000) %}x{% endfor %}"],
    ["doubles a text", "{% assign s = 'ha' %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}"],
    [
      "doubles what it captures",
      "{% assign s = 'ha' %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}",
    ],
    [
      "doubles a list",
      "{% assign l = 'a' | split: '' %}{% for i in (1..60) %}{% assign l = l | concat: l %}{% endfor %}",
    ],
    [
      "loops in loops",
      "{% for a in (1..2000) %}{% for b in (1..2000) %}{% for c in (1..2000) %}x{% endfor %}{% endfor %}{% endfor %}",
    ],
    ["nests without an end", "{% if a %}".repeat(20_000) + "{% endif %}".repeat(20_000)],
    ["asks for a wide date", "{{ '2026-01-01' | date: '%2000000000d' }}"],
    ["reads what it reads what it reads", `{{ a${"[a".repeat(5_000)}${"]".repeat(5_000)} }}`],
    [
      "replaces each letter by a long text",
      "{% assign s = 'a' | split: '' | join: '' %}{% for i in (1..20) %}{% assign s = s | append: s %}{% endfor %}{{ s | replace: 'a', s }}",
    ],
  ])("if it %s", async (_, text) => {
    expect(await issuesOf({ text })).toMatchObject([{ loc: ["body", "text"], type: "template_limit" }]);
    expect(await preview({ text: "{{ a }}", data: { a: "as before" } })).toMatchObject({ text: "as before" });
  });

  test.each([
    ["are written into too many elements", `<style>*{${"color:red;".repeat(20_000)}}</style>${"<p>x</p>".repeat(200)}`],
    [
      "are larger than the result may be",
      `<style>*{font-family:${"x".repeat(1_500)}}</style>${"<p>x</p>".repeat(4_000)}`,
    ],
    ["stop the thread that reads them", `<style>${'"\\'.repeat(200_000)}</style><p>x</p>`],
  ])("if its styles %s", async (_, html) => {
    const started = performance.now();
    expect(await issuesOf({ html })).toMatchObject([{ loc: ["body", "html"], type: "template_limit" }]);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(await preview({ text: "{{ a }}", data: { a: "as before" } })).toMatchObject({ text: "as before" });
  });

  test("if its data nest too deeply to be read", async () => {
    const body = `{"text":"{{ a }}","data":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    const reply = await http.post("/v1/email-services/preview-template", {
      token: owner.token,
      raw: Uint8Array.from(Buffer.from(body)),
      headers: { "content-type": "application/json" },
      expect: 422,
    });
    const msg = "The body is not valid JSON: it nests too deeply (position 0).";
    expect(reply.body.detail).toMatchObject([{ loc: ["body", 0], type: "json_invalid", msg }]);
  });

  test("if what it makes is larger than a reply may be", async () => {
    const text = "{% for i in (1..20) %}{{ a }}{% endfor %}";
    const data = { a: "\u4e2d".repeat(100_000) };
    expect(await issuesOf({ text, data })).toMatchObject([{ loc: ["body", "text"], type: "template_limit" }]);
  });

  test("if its styles are too many for its elements, or it nests too deeply for them", async () => {
    const styles = `<style>${Array.from({ length: 1_000 }, (_, index) => `.c${index} p{color:red}`).join("")}</style>`;
    expect(await issuesOf({ html: styles + "<p>x</p>".repeat(1_000) })).toMatchObject([{ loc: ["body", "html"] }]);
    const deep = `<style>p{color:red}</style>${"<div>".repeat(101)}`;
    expect(await issuesOf({ html: deep })).toMatchObject([{ loc: ["body", "html"] }]);
  });
});

test("a template has no access to prototypes", async () => {
  const text =
    "{{ constructor }}{{ a.constructor }}{{ a.__proto__ }}{{ a.toString }}{{ 'x'.constructor }}[{{ a.length }}]";
  expect(await preview({ text, data: { a: {} } })).toMatchObject({ text: "[]" });
});

test("a template is stored only if it parses, and a refused one names line and column", async () => {
  const body = { name: "Broken", subject: "Hi", html: "<p>{{ name }}</p>\n{% if x %}" };
  const refused = await http.post("/v1/object/template", { token: owner.token, body, expect: 422 });
  expect(refused.body.detail).toMatchObject([
    { loc: ["body", "html"], type: "invalid_template", ctx: { part: "html", line: 2, column: 1 } },
  ]);
  const id = await create("template", { name: "Right", text: "{{ name }}" });
  const change = { token: owner.token, body: { text: "{{ name | shout }}" }, expect: 422 };
  expect((await http.patch(`/v1/object/template/${id}`, change)).body.detail).toMatchObject([
    { loc: ["body", "text"] },
  ]);
  await http.patch(`/v1/object/template/${id}`, { token: owner.token, body: { description: "Kept" }, expect: 200 });
});
