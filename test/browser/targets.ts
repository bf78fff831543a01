import type { Page } from "playwright-core";

interface Target {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels; https://www.w3.org/TR/WCAG22/#target-size-minimum */
const SIZE = 24;

const isSmall = ({ width, height }: Target): boolean => width < SIZE || height < SIZE;

const middleOf = ({ x, y, width, height }: Target) => ({ x: x + width / 2, y: y + height / 2 });

/** The distance from a point to a target; for a small target to its centre, less half of the minimal size. */
const distance = (from: { x: number; y: number }, target: Target): number => {
  if (isSmall(target)) {
    const middle = middleOf(target);
    return Math.hypot(from.x - middle.x, from.y - middle.y) - SIZE / 2;
  }
  const outside = (at: number, start: number, length: number): number => Math.max(start - at, 0, at - start - length);
  return Math.hypot(outside(from.x, target.x, target.width), outside(from.y, target.y, target.height));
};

/** Targets that are too small and too close to another one. */
export const smallTargets = async (page: Page): Promise<string[]> => {
  const targets: Target[] = await page.locator("a[href], button, input:not([type=hidden])").evaluateAll((elements) =>
    elements.map((element) => {
      const { x, y, width, height } = (element.closest("label") ?? element).getBoundingClientRect();
      return { name: element.innerText || element.name, x, y, width, height };
    }),
  );
  return targets
    .filter((target) => isSmall(target))
    .filter((one) => targets.some((other) => other !== one && distance(middleOf(one), other) < SIZE / 2))
    .map(({ name, width, height }) => `${name}: ${width} × ${height}`);
};
