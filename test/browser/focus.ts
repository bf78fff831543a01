import type { Page } from "playwright-core";

const focused = (page: Page) => page.locator("*:focus-visible");

/** The focused element as a screen reader announces it: `button "Sign in"`. */
export const focusOf = async (page: Page): Promise<string> =>
  /^- (\w+ "[^"]*")/.exec(await focused(page).ariaSnapshot())?.[1] ?? "nothing";

/** Whether the focus is visible: a ring of at least two pixels. */
export const isRinged = (page: Page): Promise<boolean> =>
  focused(page).evaluate((element) => {
    const { outlineStyle, outlineWidth } = element.ownerDocument.defaultView.getComputedStyle(element);
    return outlineStyle === "solid" && Number.parseFloat(outlineWidth) >= 2;
  });

/** The elements that get the keyboard focus without a visible ring. */
export const unseenStops = async (page: Page): Promise<string[]> => {
  const unseen: string[] = [];
  const stops = await page.locator("a[href], button, input:not([type=hidden])").count();
  for (let stop = 0; stop < stops; stop += 1) {
    if (stop > 0 || (await focused(page).count()) === 0) await page.keyboard.press("Tab");
    if ((await focused(page).count()) > 0 && !(await isRinged(page))) unseen.push(await focusOf(page));
  }
  return unseen;
};
