import type { CDPSession, Page } from "playwright-core";

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** `rgb(29, 27, 24)` or `rgba(0, 0, 0, 0.5)`: Chromium's format of a colour. */
const colourOf = (text: string): Colour => {
  const [red, green, blue, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  if (red === undefined || green === undefined || blue === undefined) throw new Error(`What colour is ${text}?`);
  return [red, green, blue, alpha];
};

const over = ([red, green, blue, alpha]: Colour, below: Colour): Colour => {
  const mix = (above: number, under: number): number => above * alpha + under * (1 - alpha);
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
};

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
const luminance = ([red, green, blue]: Colour): number => {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
const contrast = (text: Colour, background: Colour): number => {
  const [darker = 0, lighter = 0] = [luminance(over(text, background)), luminance(background)].toSorted(
    (a, b) => a - b,
  );
  return (lighter + 0.05) / (darker + 0.05);
};

export interface Legibility {
  readonly text: string;
  /** 1 to 21. */
  readonly contrast: number;
}

const STYLES = ["color", "background-color", "opacity"];

const capture = (session: CDPSession) => session.send("DOMSnapshot.captureSnapshot", { computedStyles: STYLES });

type Captured = Awaited<ReturnType<typeof capture>>;

const textsOf = ({ layout, nodes }: Captured["documents"][number], strings: readonly string[]): Legibility[] => {
  const entryOf = new Map(layout.nodeIndex.map((node, entry) => [node, entry]));
  const styleOf = (node: number, style: number): string | undefined =>
    strings[layout.styles[entryOf.get(node) ?? -1]?.[style] ?? -1];
  /** From the node itself up to the page. */
  const lineage = (node: number): number[] => (node < 0 ? [] : [node, ...lineage(nodes.parentIndex?.[node] ?? -1)]);
  const legible = (text: string, node: number): Legibility => {
    const elements = lineage(node).slice(1);
    const backgrounds = elements.flatMap((element) => styleOf(element, 1) ?? []).map(colourOf);
    const page = backgrounds.findIndex(([, , , alpha]) => alpha === 1);
    const opaque = backgrounds[page];
    if (opaque === undefined) throw new Error(`Nothing is behind "${text}".`);
    const background = backgrounds.slice(0, page).reduceRight((below, above) => over(above, below), opaque);
    const opacity = elements.reduce((product, element) => product * Number(styleOf(element, 2) ?? 1), 1);
    const [red, green, blue, alpha] = colourOf(styleOf(node, 0) ?? "");
    return { text, contrast: contrast([red, green, blue, alpha * opacity], background) };
  };
  return layout.text.flatMap((index, entry) => {
    const text = strings[index]?.trim() ?? "";
    return text === "" ? [] : [legible(text, layout.nodeIndex[entry] ?? -1)];
  });
};

/** Every text that Chromium has laid out, with its contrast to the background. */
export const legibility = async (page: Page): Promise<Legibility[]> => {
  const session = await page.context().newCDPSession(page);
  const { documents, strings } = await capture(session);
  await session.detach();
  return documents.flatMap((document) => textsOf(document, strings));
};
