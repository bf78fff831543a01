import Table from "cli-table3";
import stringWidth from "string-width";
import type { Json } from "../json.ts";
import { paint, width } from "./terminal.ts";
import { shown } from "./text.ts";

export interface Column {
  /** The key in each row. */
  readonly key: string;
  readonly title?: string;
  readonly type?: string;
  readonly format?: string | undefined;
}

const GAP = 2;
const NARROWEST = 8;
/** Whether columns may be left out. */
const COMFORTABLE = 16;

/** Two blanks between columns, a line under the titles, no borders. */
const frame = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
} as const;

/** The width of a text on a terminal. ASCII is handled first, because counting graphemes is slow. */
const columnsOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text));

/** Ids are never cut, so that they can be copied. */
const isWhole = ({ key }: Column): boolean => key === "id";

/** Narrows the widest columns until all fit. Undefined if they would become unreadable. */
const narrowed = (columns: readonly Column[], wanted: readonly number[], least: number): number[] | undefined => {
  const widths = [...wanted];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP * (widths.length - 1) - width();
  for (; excess > 0; excess -= 1) {
    const widest = widths.reduce(
      (most, each, index) => (isWhole(columns[index] ?? { key: "" }) ? most : Math.max(most, each)),
      0,
    );
    if (widest <= least) return undefined;
    widths[widths.findIndex((each, index) => each === widest && !isWhole(columns[index] ?? { key: "" }))] = widest - 1;
  }
  return widths;
};

const measure = (columns: readonly Column[], cells: readonly (readonly string[])[]): number[] =>
  columns.map((column, index) =>
    cells.reduce((most, row) => Math.max(most, columnsOf(row[index] ?? "")), columnsOf(titleOf(column))),
  );

const titleOf = ({ key, title }: Column): string => (title ?? key).toUpperCase();

const draw = (columns: readonly Column[], cells: readonly (readonly string[])[], widths: readonly number[]): string => {
  const grid = new Table({
    chars: frame,
    style: { "padding-left": 0, "padding-right": GAP, head: [], border: [], compact: true },
    colWidths: widths.map((each) => each + GAP),
    colAligns: columns.map(({ type }) => (type === "number" ? "right" : "left")),
  });
  grid.push(columns.map((column) => paint.bold(titleOf(column))));
  grid.push(widths.map((each) => paint.dim("─".repeat(each))));
  for (const row of cells) grid.push([...row]);
  return trimmed(grid.toString());
};

const trimmed = (text: string): string => `${text.replace(/[ \t]+$/gm, "")}\n`;

/** Rows as a table, or as one block for each record if the terminal is too narrow. */
export const table = (columns: readonly Column[], rows: readonly Json[]): string => {
  if (columns.length === 0) return "";
  const cells = rows.map((row) => columns.map(({ key, format }) => shown(row[key], format)));
  const widths = narrowed(columns, measure(columns, cells), NARROWEST);
  return widths ? draw(columns, cells, widths) : rows.map((row) => block(columns, row)).join("\n");
};

/** Rows as a table of as many of the first columns as fit. */
export const leadingColumns = (columns: readonly Column[], rows: readonly Json[]): string => {
  const cells = rows.map((row) => columns.map(({ key, format }) => shown(row[key], format)));
  const wanted = measure(columns, cells);
  for (let count = columns.length; count > 1; count -= 1) {
    const some = columns.slice(0, count);
    const widths = narrowed(some, wanted.slice(0, count), COMFORTABLE);
    if (widths)
      return draw(
        some,
        cells.map((row) => row.slice(0, count)),
        widths,
      );
  }
  return table(columns.slice(0, 1), rows);
};

/** One record as lines of label and value. Long values are not cut; the terminal wraps them. */
export const block = (columns: readonly Column[], row: Json): string => {
  const label = Math.max(...columns.map(({ key, title }) => (title ?? key).length));
  const lines = columns.map(({ key, title, format }) =>
    `${paint.dim((title ?? key).padEnd(label + GAP))}${shown(row[key], format)}`.trimEnd(),
  );
  return `${lines.join("\n")}\n`;
};
