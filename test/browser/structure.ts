import type { Page } from "playwright-core";

const USED = new Set(["textbox", "radio", "button", "link", "group", "checkbox"]);

/** The accessibility tree of the page. */
const accessibleNodes = async (page: Page) => {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, description, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? ""),
      description: String(description?.value ?? ""),
      properties: Object.fromEntries(properties.map((one) => [one.name, one.value.value])),
    }));
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** What is missing for a person who uses a screen reader. */
export const flawsOf = async (page: Page): Promise<string[]> => {
  const nodes = await accessibleNodes(page);
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  const titles = nodes.filter(({ role, properties }) => role === "heading" && properties.level === 1);
  const problem = oneLine((await page.getByRole("alert").allInnerTexts()).join(" "));
  const nameless = nodes.filter(({ role, name }) => USED.has(role) && oneLine(name) === "");
  const untold = nodes
    .filter(({ properties }) => properties.invalid === "true")
    .filter(({ description }) => problem === "" || !oneLine(description).includes(problem));
  const title = await page.title();
  const flaws: readonly (readonly [boolean, string])[] = [
    ...nameless.map(({ role }) => [true, `a ${role} without a name`] as const),
    ...untold.map(({ name }) => [true, `"${name}" does not say what is wrong with it`] as const),
    [titles.length !== 1 || titles[0]?.name === "", `${titles.length} headings of the first level`],
    [count("main") !== 1, `${count("main")} main parts`],
    [!/^(?:Problem: )?\S.* · Tenantry$/.test(title), `the title "${title}"`],
    [title.startsWith("Problem: ") !== (problem !== ""), `the title "${title}" of a page that says "${problem}"`],
    [(await page.locator("html").getAttribute("lang")) !== "en", "no language"],
    [(await page.locator("[tabindex]:not([tabindex='0'], [tabindex='-1'])").count()) > 0, "an order of its own"],
  ];
  return flaws.filter(([wrong]) => wrong).map(([, flaw]) => flaw);
};
