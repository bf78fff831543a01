import { Parser } from "htmlparser2";

export interface HtmlReader {
  /** Void elements are closed at once. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  /** Decoded. */
  text?(text: string): void;
}

/** Elements in elements. Deeper ones are left out; what is in them stays. */
export const MOST_DEPTH = 100;

/**
 * Reads HTML as browsers do, in time proportional to its length. Each element that is opened is closed, in order.
 *
 * The parser looks for each end tag among all open elements, so that a million unclosed tags would take minutes: tags
 * below the greatest depth do not reach it. Gives the greatest depth that the HTML has.
 */
export const readHtml = (html: string, reader: HtmlReader): number => {
  const opened: string[] = [];
  let deepest = 0;
  /** Open elements that were left out: name → how many. */
  const leftOut = new Map<string, number>();
  let missing = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      opened.push(name);
      reader.open?.(name, attributes);
    },
    onclosetag: (name) => {
      // A tag that the end of the input cuts off is closed without having been opened.
      if (opened.at(-1) !== name) return;
      opened.pop();
      reader.close?.(name);
    },
    ontext: (text) => reader.text?.(text),
  });
  const nameOf = (start: number, end: number): string => html.slice(start, end).toLowerCase();
  const open = parser.onopentagname.bind(parser);
  parser.onopentagname = (start, end) => {
    const isLeftOut = opened.length >= MOST_DEPTH && !voidElements.has(nameOf(start, end));
    deepest = Math.max(deepest, opened.length + missing + 1);
    if (!isLeftOut) return open(start, end);
    const name = nameOf(start, end);
    leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    missing += 1;
  };
  const close = parser.onclosetag.bind(parser);
  parser.onclosetag = (start, end) => {
    const name = nameOf(start, end);
    const open = leftOut.get(name) ?? 0;
    if (open === 0) return close(start, end);
    leftOut.set(name, open - 1);
    missing -= 1;
  };
  parser.end(html);
  return deepest;
};

/** Elements without content: https://html.spec.whatwg.org/multipage/syntax.html#void-elements, and older ones. */
export const voidElements: ReadonlySet<string> = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
);
