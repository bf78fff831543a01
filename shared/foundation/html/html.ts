/** Pages for people: markup that escapes by construction, and the shared style. */
export { html, type Markup, verbatim } from "./markup.ts";
export { type Page, pageOf } from "./page.ts";
export { icon } from "./palette.ts";
