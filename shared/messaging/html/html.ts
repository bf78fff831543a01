import type { SafeHtml } from "./sanitize.ts";
import type { PlainText, TextOptions } from "./text-of-html.ts";

/** See `textOfHtml`. Its libraries are loaded when they are needed. */
export const htmlToText = async (html: string, options?: TextOptions): Promise<PlainText> =>
  (await import("./text-of-html.ts")).textOfHtml(html, options);

/** See `sanitizedHtml`. */
export const sanitizeHtml = async (html: string, most: number): Promise<SafeHtml> =>
  (await import("./sanitize.ts")).sanitizedHtml(html, most);
