/** HTML that is safe to insert without escaping. */
export interface Markup {
  readonly markup: string;
}

type Content = Markup | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

const rendered = (content: Content): string => {
  if (content === undefined) return "";
  if (typeof content === "string") return escapeHtml(content);
  if (typeof content === "number") return String(content);
  return "markup" in content ? content.markup : content.map(rendered).join("");
};

/** Escapes everything that is inserted into the template, except markup. */
export const html = (template: TemplateStringsArray, ...contents: readonly Content[]): Markup => ({
  markup: template.reduce((text, part, index) => `${text}${rendered(contents[index - 1])}${part}`),
});

/** Marks the platform's own text, such as a style sheet, as safe to insert unescaped. */
export const verbatim = (text: string): Markup => ({ markup: text });
