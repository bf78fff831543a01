import type { PreviewTemplateRequest } from "#contracts/templates";
import { records } from "#shared/data/records/records";
import { refuseIfAny } from "#shared/foundation/faults";
import type { Part, Parts } from "#shared/foundation/liquid/liquid";
import { isTooLargeForReply } from "#shared/foundation/reply-size";
import type { Tenant } from "#shared/tenant/tenant";
import { recordData } from "./record-data.ts";
import { type RenderedTemplate, renderTemplate, templateParts } from "./render-template.ts";

/** Raises `record_not_found` and `forbidden`. */
const storedParts = async (tenant: Tenant, id: string): Promise<Parts> => {
  const { subject, html, text } = await records(tenant).get("template", id);
  return templateParts({ subject, html, text });
};

/** Renders a stored template or given parts with data and a record. Raises as `renderTemplate` and `recordData` do. */
export const previewTemplate = async (
  tenant: Tenant,
  { template_id, subject, html, text, data = {}, record }: PreviewTemplateRequest,
): Promise<RenderedTemplate> => {
  const [parts, merged] = await Promise.all([
    template_id === undefined ? { subject, html, text } : storedParts(tenant, template_id),
    record === undefined ? {} : recordData(tenant, record),
  ]);
  const locOf = (part: Part) => (template_id === undefined ? ["body", part] : ["body", "template_id", part]);
  const rendered = await renderTemplate(parts, { ...merged, ...data }, { locOf });
  if (isTooLargeForReply(rendered)) {
    const msg = "What the template makes is larger than a reply may be, which is 5 MB.";
    refuseIfAny([{ loc: locOf(rendered.html === "" ? "text" : "html"), msg, type: "template_limit" }]);
  }
  return rendered;
};
