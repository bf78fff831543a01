/** Pages for people: markup that is safe by construction, and the looks that they share. */
export { html, type Markup, verbatim } from "./markup.ts";
export { type Page, pageOf } from "./page.ts";
export { icon } from "./palette.ts";
