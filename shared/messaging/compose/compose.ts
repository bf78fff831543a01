/** Messages from templates. */
export { previewTemplate } from "./preview-template.ts";
export { renderTemplate, templateParts } from "./render-template.ts";
