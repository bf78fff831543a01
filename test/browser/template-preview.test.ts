import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { type Machine, signedInMachine } from "../cli/command.ts";
import { registerOrganization } from "../platform.ts";
import { openWindow } from "./window.ts";

/** Another place, which notes whatever is asked of it. */
const otherPlace = async () => {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(200, { "content-type": "text/html" }).end("<title>elsewhere</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const write = (folder: string, html: string) => writeFile(join(folder, "html.liquid"), html);

/** What Chromium says when it keeps a mail from something, and when the command ends. */
const expected =
  /violates the following Content Security Policy|is sandboxed|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_BLOCKED_BY_CSP/;

/** Runs the command, and gives the address that it shows. */
const watchTemplate = async (device: Machine): Promise<string> => {
  const args = [inject("command"), "template", "preview", "welcome", "--watch", "--no-open"];
  const child = spawn(process.execPath, args, { cwd: device.home, env: { HOME: device.home } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  await expect.poll(() => said).toContain("http://");
  return /http:\/\/[^ ]*/.exec(said)?.[0] ?? "";
};

it("tenantry template preview --watch shows a mail in Chromium that can run, load, follow and send nothing", async () => {
  const [owner, page, other] = await Promise.all([registerOrganization(), openWindow({ expected }), otherPlace()]);
  const device = await signedInMachine(owner);
  const folder = join(device.home, "templates", "welcome");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "subject.liquid"), "<b>Hello</b>");
  const { origin } = other;
  await write(
    folder,
    `<style>@import url(${origin}/import.css); p { color: rgb(1, 2, 3); background: url(${origin}/background.png) }</style>
     <link rel="stylesheet" href="${origin}/link.css"><p>first</p><img src="${origin}/pixel.gif" alt="">
     <img src="x" alt="" onerror="parent.document.title = 'taken'">
     <script>parent.document.title = "taken"; fetch("${origin}/fetch")</script>
     <iframe src="${origin}/frame"></iframe><object data="${origin}/object"></object>
     <a href="${origin}/link" target="_top">away</a> <a href="${origin}/self">here</a>
     <form action="${origin}/form" target="_top"><button>send</button></form>
     <meta http-equiv="refresh" content="0; url=${origin}/refresh">`,
  );
  const address = await watchTemplate(device);
  await page.goto(address);
  const mail = page.frameLocator("#html");
  await mail.getByText("first").waitFor();
  // Its styles count, so that it is shown as it will look.
  const color = mail.getByText("first").evaluate((one) => one.ownerDocument.defaultView.getComputedStyle(one).color);
  expect(await color).toBe("rgb(1, 2, 3)");
  expect(await page.title()).toBe("<b>Hello</b>");
  expect(await page.locator("#subject").innerText()).toBe("<b>Hello</b>");
  await mail.getByText("away").click();
  await mail.getByText("send").click();
  await mail.getByText("here").click();
  expect(await page.title()).toBe("<b>Hello</b>");

  await write(folder, "<p>second</p>");
  await mail.getByText("second").waitFor();
  await write(folder, "{% broken");
  await page.getByRole("status").getByText("not closed").waitFor();
  expect(page.url()).toBe(address);
  expect(other.asked).toEqual([]);
});
