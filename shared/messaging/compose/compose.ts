/** Messages from templates. */
export { previewTemplate } from "./preview-template.ts";
export { renderTemplate } from "./render-template.ts";
