import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Machine, machine, withoutColours } from "../cli/command.ts";
import { platformUrl, registerOrganization } from "../platform.ts";
import { isTold, press, sees, typeCredentials } from "./steps.ts";
import { openWindow, scripting } from "./window.ts";

/** The URL that the command opens in the browser. Here a script writes it to a file. */
const browserOf = async ({ home }: Machine) => {
  const [folder, note] = [join(home, "bin"), join(home, "opened")];
  // Started by this name, or by the program of this name that reads BROWSER.
  const program = join(folder, "xdg-open");
  await mkdir(folder);
  await writeFile(program, `#!/bin/sh\nprintf %s "$1" > ${note}.new && mv ${note}.new ${note}\n`, { mode: 0o755 });
  const opened = () => expect.poll(() => readFile(note, "utf8").catch(() => ""));
  return {
    env: { BROWSER: program },
    address: async (): Promise<string> => {
      await opened().toMatch(/^http/);
      return readFile(note, "utf8");
    },
  };
};

describe.each(scripting)("tenantry login with Chromium $scripts", ({ javaScriptEnabled }) => {
  it("signs in through the page, and whoami shows the account", async () => {
    const [owner, device, page] = await Promise.all([
      registerOrganization("Acme"),
      machine(),
      openWindow({ javaScriptEnabled }),
    ]);
    const { env, address } = await browserOf(device);
    const running = device.onTerminal(["login", "--url", platformUrl], { env, columns: 2000 });
    const opened = await address();
    await page.goto(opened);
    await typeCredentials(page, { ...owner, password: "not the right one" });
    await isTold(page, "wrong");
    await typeCredentials(page, owner);
    await sees(page, /^Allow .*command line/);
    expect(await page.getByRole("main").innerText()).toContain("a program on this computer");
    await press(page, "Allow");
    await page.getByText("Back to your terminal").waitFor();
    const { code, stdout } = await running;
    expect(withoutColours(stdout)).toContain(opened);
    expect(withoutColours(stdout)).toContain(`✓ Signed in to ${platformUrl} as ${owner.email}`);
    expect(code).toBe(0);
    const whoami = await device.run(["whoami"]);
    expect(whoami.stdout).toContain(owner.email);
    expect(whoami.code).toBe(0);
  });

  it("ends when the person denies the request", async () => {
    const [owner, device, page] = await Promise.all([
      registerOrganization(),
      machine(),
      openWindow({ javaScriptEnabled }),
    ]);
    const { env, address } = await browserOf(device);
    const running = device.onTerminal(["login", "--url", platformUrl], { env });
    await page.goto(await address());
    await typeCredentials(page, owner);
    await press(page, "Do not allow");
    const { code, stdout } = await running;
    expect(withoutColours(stdout)).toContain("You were not signed in");
    expect(code).toBe(3);
  });
});
