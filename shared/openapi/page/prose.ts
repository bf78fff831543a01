import { html, type Markup } from "./markup.ts";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** One line of Markdown: `code` and **strong**, which is all that descriptions use. */
export const phrase = (text: string): Markup => {
  const parts: (string | Markup)[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(end, match.index));
    parts.push(match[1] === undefined ? html`<strong>${match[2]}</strong>` : html`<code>${match[1]}</code>`);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return html`${parts}`;
};

/** Paragraphs of such lines. */
export const prose = (text: string | undefined): Markup =>
  html`${(text ?? "").split(/\n{2,}/).map((paragraph) => (paragraph === "" ? "" : html`<p>${phrase(paragraph)}</p>`))}`;
