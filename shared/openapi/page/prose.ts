import { html, type Markup } from "../../html/html.ts";

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

const FENCE = /^```[^\n]*\n([\s\S]*?)\n?```$/;

/** Lines after one that starts with a dash belong to its item. */
const items = (block: string): string[] => block.split(/^- /m).slice(1);

const blockView = (block: string): Markup => {
  const fenced = FENCE.exec(block);
  if (fenced) return html`<pre class="block" tabindex="0"><code>${fenced[1]}</code></pre>`;
  if (!block.startsWith("- ")) return html`<p>${phrase(block)}</p>`;
  return html`<ul class="points">${items(block).map((item) => html`<li>${phrase(item.trim())}</li>`)}</ul>`;
};

/** Paragraphs, lists with dashes and fenced code, with an empty line or a change of kind between them. */
export const prose = (text: string | undefined): Markup => {
  const blocks = (text ?? "")
    .split(/(^```[^\n]*\n[\s\S]*?^```$)|\n{2,}|\n(?=- )(?<!\n- .*\n)/m)
    .map((block) => block?.trim() ?? "")
    .filter((block) => block !== "");
  return html`${blocks.map(blockView)}`;
};
