import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { legibility } from "./contrast.ts";
import { unseenStops } from "./focus.ts";
import { flawsOf } from "./structure.ts";
import { smallTargets } from "./targets.ts";

const FOLDER = join(import.meta.dirname, "../../test-results/pages");

/** `zoomed` is a window of 1280 pixels at 200 %. */
const VIEWS = [
  { view: "zoomed", colorScheme: "light", width: 640, height: 512 },
  { view: "light", colorScheme: "light", width: 900, height: 800 },
  { view: "dark", colorScheme: "dark", width: 900, height: 800 },
  { view: "narrow", colorScheme: "dark", width: 320, height: 640 },
] as const;

/** https://www.w3.org/TR/WCAG22/#contrast-minimum */
const CONTRAST = 4.5;

const pale = async (page: Page): Promise<string[]> =>
  (await legibility(page))
    .filter(({ contrast }) => contrast < CONTRAST)
    .map(({ text, contrast }) => `${text}: ${contrast.toFixed(2)}`);

const overhang = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

export interface LookOptions {
  /** Saves a screenshot in test-results/pages for review. */
  readonly picture: string;
  readonly fullPage?: boolean;
}

/** Checks contrast and horizontal scrolling, in light and dark, wide and narrow. */
const isLegible = async (page: Page, { picture, fullPage = true }: LookOptions) => {
  for (const { view, colorScheme, width, height } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    expect.soft(await pale(page), `${picture} ${view}: contrast`).toEqual([]);
    expect.soft(await overhang(page), `${picture} ${view}: overhang`).toBe(0);
    if (view !== "zoomed") await page.screenshot({ path: join(FOLDER, `${picture}-${view}.png`), fullPage });
  }
};

/** Checks structure, touch targets and focus on a small screen, which is the last view. */
export const isAccessible = async (page: Page, picture: string): Promise<void> => {
  expect.soft(await flawsOf(page), `${picture}: for a screen reader`).toEqual([]);
  await isLegible(page, { picture });
  expect.soft(await smallTargets(page), `${picture}: for a finger`).toEqual([]);
  expect.soft(await unseenStops(page), `${picture}: for the keyboard`).toEqual([]);
};
