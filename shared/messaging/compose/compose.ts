/** Messages from templates. */
export { previewTemplate } from "./preview-template.ts";
export { type RenderedTemplate, renderTemplate } from "./render-template.ts";
