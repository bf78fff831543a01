import type { OpenapiDocument } from "../document.ts";
export interface ReferencePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}
export const referencePage = (document: OpenapiDocument): ReferencePage => ({
  html: document.openapi,
  contentSecurityPolicy: "",
});
