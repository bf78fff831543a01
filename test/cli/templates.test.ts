import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { http, registerOrganization } from "../platform.ts";
import { type Machine, signedInMachine } from "./command.ts";

const write = async (device: Machine, file: string, text: string): Promise<void> => {
  await mkdir(join(device.home, file, ".."), { recursive: true });
  await writeFile(join(device.home, file), text);
};

const read = (device: Machine, file: string): Promise<string> => readFile(join(device.home, file), "utf8");

test("tenantry template pulls templates into folders, and pushes what was changed there", async () => {
  const owner = await registerOrganization();
  const device = await signedInMachine(owner);
  const body = { name: "Wel/come", kind: "email", subject: "Hi {{ name }}", html: "<p>{{ name }}</p>", language: "en" };
  const created = await http.post("/v1/object/template", { token: owner.token, body, expect: 201 });
  expect((await device.run(["template", "pull"])).stderr).toContain("Wrote templates/Wel-come");
  expect(JSON.parse(await read(device, "templates/Wel-come/template.json"))).toEqual({
    name: "Wel/come",
    kind: "email",
    language: "en",
    active: true,
  });
  expect(await read(device, "templates/Wel-come/subject.liquid")).toBe("Hi {{ name }}\n");
  await expect(read(device, "templates/Wel-come/text.liquid")).rejects.toThrow("ENOENT");
  expect((await device.run(["template", "push"])).stderr).toContain("has not changed");

  await write(device, "templates/Wel-come/html.liquid", "<p>Dear\n{{ name }</p>");
  const refused = await device.run(["template", "push"]);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("templates/Wel-come/html.liquid:2:1: ");
  expect((await device.run(["template", "pull"])).code).toBe(2);

  await write(device, "templates/Wel-come/html.liquid", "<p>Dear {{ name }}</p>");
  await write(device, "templates/New one/text.liquid", "{{ name }}");
  expect((await device.run(["template", "push"])).stderr).toMatch(/Created New one.*[\s\S]*Changed Wel\/come/);
  const path = `/v1/object/template/${created.body.id}`;
  expect((await http.get(path, { token: owner.token })).body).toMatchObject({ html: "<p>Dear {{ name }}</p>" });
});

test("tenantry template preview prints subject and text, and names what the data do not have", async () => {
  const device = await signedInMachine(await registerOrganization());
  await write(device, "templates/welcome/subject.liquid", "Hi {{ name }}\n");
  await write(device, "templates/welcome/html.liquid", "<h1>{{ name }}</h1><p>{{ other }}</p>");
  await write(device, "data.json", '{"name": "Ada"}');
  const { code, stdout, stderr } = await device.run(["template", "preview", "welcome", "--data", "data.json"]);
  expect([code, stdout]).toEqual([0, "Hi Ada\n\nAda\n"]);
  expect(stderr).toContain("html.liquid:1:26: the data have no other");
  expect((await device.run(["template", "preview", "../welcome"])).code).toBe(2);
});

/** Status and body of a request with these headers; undefined headers for none. */
const ask = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  new Promise<{ status: number | undefined; policy: unknown; text: string }>((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      const policy = response.headers["content-security-policy"];
      response.toArray().then((chunks) => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode, policy, text });
      }, reject);
    });
    asked.on("error", reject).end();
  });

test("tenantry template preview --watch serves a page to itself alone, and shows each change", async () => {
  const device = await signedInMachine(await registerOrganization());
  await write(device, "templates/welcome/html.liquid", "<p>first</p><script>alert(1)</script>");
  const args = [inject("command"), "template", "preview", "welcome", "--watch", "--no-open"];
  const child = spawn(process.execPath, args, { cwd: device.home, env: { HOME: device.home } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 120_000 }).toContain("until you press");
  const url = /http:\/\/[^ ]*/.exec(said)?.[0] ?? "";

  const page = await ask(url);
  expect(page.status).toBe(200);
  expect(page.policy).toMatch(/^default-src 'none'; script-src 'nonce-[^']+'; .*frame-src 'none'/);
  expect(page.text).toContain('<iframe id="html" title="The HTML part" sandbox="">');
  const refused = await Promise.all([
    ask(new URL("/", url).href),
    ask(url, { host: "evil.test" }),
    ask(url, { host: `localhost:${new URL(url).port}` }),
    ask(url, { origin: "http://evil.test" }),
    ask(url, { "sec-fetch-site": "cross-site" }),
    ask(`${url}events`, { origin: "null" }),
    ask(url, {}, "POST"),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([404, 403, 403, 403, 403, 403, 405]);

  let events = "";
  request(`${url}events`, (response) => response.on("data", (chunk: Buffer) => (events += chunk)))
    .on("error", () => undefined)
    .end();
  const shown = (text: string) => expect.poll(() => events, { timeout: 120_000 }).toContain(text);
  await shown("first");
  await write(device, "templates/welcome/html.liquid", "<p>second</p>");
  await shown("second");
  await write(device, "templates/welcome/html.liquid", "{% broken");
  await shown("not closed");
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});
