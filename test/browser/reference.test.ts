import { expect, it } from "vitest";
import { platformUrl } from "../platform.ts";
import { isLegible } from "./look.ts";
import { openWindow, scripting } from "./window.ts";

it.each(scripting)(
  "the API reference can be read on every screen, $scripts",
  async ({ scripts, javaScriptEnabled }) => {
    const page = await openWindow({ javaScriptEnabled });
    await page.goto(`${platformUrl}/docs`);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await isLegible(page, { picture: `reference-${scripts.replace(" ", "-")}`, fullPage: false });
  },
);
