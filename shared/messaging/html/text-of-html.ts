import { convert, type HtmlToTextOptions } from "html-to-text";
import { reduceHtml } from "./reduce-html.ts";

export interface TextOptions {
  /** Characters (code points); unlimited by default. */
  readonly max_length?: number | undefined;
  /** Whether the addresses of links are shown behind their text; true by default. */
  readonly preserve_links?: boolean | undefined;
}

export interface PlainText {
  readonly text: string;
  /** It was cut at `max_length`. */
  readonly truncated: boolean;
}

const heading = { options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 1 } };

const optionsOf = (preservesLinks: boolean): HtmlToTextOptions => ({
  wordwrap: false,
  limits: { maxInputLength: 2 ** 27 },
  selectors: [
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, ...heading })),
    { selector: "ul", options: { itemPrefix: "- " } },
    { selector: "hr", options: { length: 3 } },
    { selector: "a", options: { ignoreHref: !preservesLinks, hideLinkHrefIfSameAsText: true } },
  ],
});

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const WINDOW = 256;

/** The end of the last whole grapheme cluster within so many code points. */
const endOf = (text: string, most: number): number => {
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  if (end >= text.length) return text.length;
  const from = Math.max(0, end - WINDOW);
  const inside = graphemes.segment(text.slice(from, end + WINDOW)).containing(end - from)?.index ?? 0;
  // A longer cluster is cut.
  return inside === 0 && from > 0 ? end : from + inside;
};

/**
 * The text of an HTML document or fragment, as a person would read it: without scripts, styles, hidden parts and
 * tracking pixels. Takes time proportional to the length of the HTML, whatever is in it.
 */
export const textOfHtml = (html: string, { max_length, preserve_links = true }: TextOptions = {}): PlainText => {
  const lines = convert(reduceHtml(html), optionsOf(preserve_links)).split("\n");
  const text = lines
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (max_length === undefined || text.length <= max_length) return { text, truncated: false };
  const end = endOf(text, max_length);
  return { text: text.slice(0, end), truncated: end < text.length };
};
