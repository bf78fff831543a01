import { readHtml } from "#shared/foundation/html/read-html";
import { type Attributes, isHidden, isPixel, linkOf, unseenElements } from "./appearance.ts";

/** Left out with their content. */
const UNREAD = new Set([...unseenElements, "option", "datalist"]);

const BLOCKS = new Set(
  (
    "address article aside body caption center dd details dialog div dl dt fieldset figcaption figure footer form " +
    "header html legend main nav section summary table tbody tfoot thead"
  ).split(" "),
);

const KEPT = new Set("h1 h2 h3 h4 h5 h6 p pre".split(" "));

/** Lists and quotes in others: each repeats its indentation on all lines that are in it. */
const MOST_INDENTED = 10;

/** Control characters, and others that are not seen. Mails fill the line under their subject with them. */
const INVISIBLE = /[^\P{Cc}\t\n\r]|\u034f|[\u00ad\u200b\ufeff]/gu;

const escapeText = (text: string): string =>
  text.replace(INVISIBLE, "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

interface Cell {
  /** Where its begin and its end are in the output. */
  readonly begin: number;
  end: number;
  isEmpty: boolean;
}

interface Row {
  readonly cells: Cell[];
  /** All cells are one line. */
  isLine: boolean;
}

interface Open {
  readonly end: string;
  readonly indents?: true;
  readonly row?: Row;
  readonly cell?: Cell;
  readonly unread?: true;
}

/**
 * HTML with nothing but what a text has: paragraphs, headings, lists, quotes and links. Cells of a row that fit on one
 * line are separated by bars, others become paragraphs. At most a few times as long as the input.
 */
export const reduceHtml = (html: string): string => {
  const output: string[] = [];
  const open: Open[] = [];
  const rows: Row[] = [];
  const cells: Cell[] = [];
  let unread = 0;
  let indented = 0;

  const block = (): void => {
    const row = rows.at(-1);
    if (row !== undefined) row.isLine = false;
  };
  const add = (text: string): void => {
    output.push(text);
    const cell = cells.at(-1);
    if (text.trim() !== "" && cell !== undefined) cell.isEmpty = false;
  };
  const begin = (tag: string, end = ""): Open => {
    output.push(tag);
    return { end };
  };

  const paragraph = (tag = "div", attributes = ""): Open => {
    block();
    return begin(`<${tag}${attributes}>`, `</${tag}>`);
  };
  const indenting = (tag: string, attributes = ""): Open =>
    indented < MOST_INDENTED ? { ...paragraph(tag, attributes), indents: true } : paragraph();

  const lineBreak = (tag: string): Open => {
    block();
    return begin(`<${tag}>`);
  };
  const image = (attributes: Attributes): Open => {
    if (attributes.alt !== undefined && !isPixel(attributes)) add(escapeText(attributes.alt));
    return { end: "" };
  };
  const link = (attributes: Attributes): Open => {
    const address = linkOf(attributes.href);
    if (address === undefined) return { end: "" };
    return begin(`<a href="${escapeText(address).replaceAll('"', "&quot;")}">`, "</a>");
  };
  const cellOfRow = (): Open => {
    const row = open.at(-1)?.row;
    if (row === undefined) return paragraph();
    const cell: Cell = { begin: output.push("") - 1, end: 0, isEmpty: true };
    row.cells.push(cell);
    return { end: "", cell };
  };
  const special: Readonly<Record<string, (attributes: Attributes) => Open>> = {
    a: link,
    blockquote: () => indenting("blockquote"),
    br: () => lineBreak("br"),
    hr: () => lineBreak("hr"),
    img: image,
    li: () => paragraph(/^<\/[uo]l>$/.test(open.at(-1)?.end ?? "") ? "li" : "div"),
    ol: ({ start = "" }) => indenting("ol", /^\d{1,6}$/.test(start) ? ` start="${start}"` : ""),
    td: cellOfRow,
    th: cellOfRow,
    tr: () => ({ ...paragraph(), row: { cells: [], isLine: true } }),
    ul: () => indenting("ul"),
  };

  const opened = (name: string, attributes: Attributes): Open => {
    if (UNREAD.has(name) || isHidden(attributes)) return { end: "", unread: true };
    if (Object.hasOwn(special, name)) return special[name]?.(attributes) ?? { end: "" };
    if (KEPT.has(name)) return paragraph(name);
    return BLOCKS.has(name) ? paragraph() : { end: "" };
  };

  const endRow = ({ cells, isLine }: Row): void => {
    const hasColumns = cells.filter(({ isEmpty }) => !isEmpty).length > 1;
    for (const [index, { begin, end }] of cells.entries()) {
      if (!isLine) [output[begin], output[end]] = ["<div>", "</div>"];
      else if (index > 0 && hasColumns) output[begin] = " | ";
    }
  };

  readHtml(html, {
    open: (name, attributes) => {
      const element = unread > 0 ? ({ end: "", unread: true } as const) : opened(name, attributes);
      open.push(element);
      if (element.unread) unread += 1;
      if (element.indents) indented += 1;
      if (element.row) rows.push(element.row);
      if (element.cell) cells.push(element.cell);
    },
    close: () => {
      const element = open.pop();
      if (element === undefined) return;
      if (element.unread) unread -= 1;
      if (element.indents) indented -= 1;
      if (element.cell) {
        element.cell.end = output.push("") - 1;
        cells.pop();
        const outer = cells.at(-1);
        if (outer !== undefined && !element.cell.isEmpty) outer.isEmpty = false;
      }
      if (element.row) {
        rows.pop();
        endRow(element.row);
      }
      if (element.end !== "") output.push(element.end);
    },
    text: (text) => {
      if (unread === 0) add(escapeText(text));
    },
  });
  return output.join("");
};
