import juice from "juice/client";
import { MOST_DEPTH, readHtml } from "../html/read-html.ts";

/** Each selector is compared with each element. */
const MOST_COMPARISONS = 200_000;
const MOST_ELEMENTS = 5_000;

// Code of other template languages is text here. To set it aside takes quadratic time.
for (const name of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[name];

/** At least the number of selectors. */
const selectorsIn = (css: string): number => css.split(/[{,]/).length;

const HAS_STYLES = /<style[\s>/]/i;

/** What makes styles too expensive to inline, as a sentence. */
const objection = (html: string): string | undefined => {
  let elements = 0;
  let selectors = 0;
  let styles = 0;
  const depth = readHtml(html, {
    open: (name) => {
      elements += 1;
      if (name === "style") styles += 1;
    },
    close: (name) => {
      if (name === "style") styles -= 1;
    },
    text: (text) => {
      if (styles > 0) selectors += selectorsIn(text);
    },
  });
  if (depth > MOST_DEPTH) return `The HTML has elements more than ${MOST_DEPTH} levels deep.`;
  if (elements > MOST_ELEMENTS) return `HTML with styles may have ${MOST_ELEMENTS} elements; this has ${elements}.`;
  if (elements * selectors <= MOST_COMPARISONS) return undefined;
  return `The styles are too many for the HTML: ${selectors} selectors × ${elements} elements, of ${MOST_COMPARISONS}.`;
};

/**
 * Writes the rules of `<style>` into the elements, because many mail programs ignore them elsewhere. Media queries and
 * the like stay. Nothing is fetched. Raises an error with a sentence for the caller.
 */
export const inlineStyles = (html: string): string => {
  if (!HAS_STYLES.test(html)) return html;
  const refused = objection(html);
  if (refused !== undefined) throw new Error(refused);
  return juice(html, { preserveImportant: true, inlinePseudoElements: false });
};
