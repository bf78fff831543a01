import type { SendEmailRequest } from "#contracts/email-bodies";
import { messageLimits } from "#contracts/messages";
import { type ApiRecord, isNotReadable, records } from "#shared/data/records/records";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { textOf } from "#shared/foundation/text-of";
import type { RecordReference, Tenant } from "#shared/tenant/tenant";
import { htmlToText } from "../html/html.ts";
import { sharedLink } from "../suppression/unsubscribe-link.ts";
import { renderTemplate, templateParts } from "./render-template.ts";

export interface EmailContent {
  /** One line; empty without a subject. */
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  readonly template?: RecordReference;
}

const unknownTemplate = (id: string): Issue => ({
  loc: ["body", "template_id"],
  msg: "There is no such active template for email that you may read.",
  type: "unknown_template",
  input: id,
});

/** A template that the caller may read. Raises `validation_failed`. */
const templateOf = async (tenant: Tenant, id: string): Promise<ApiRecord> => {
  const found = await records(tenant)
    .get("template", id)
    .catch((error: unknown) => {
      if (isNotReadable(error)) return null;
      throw error;
    });
  if (found === null || found.active === false || (found.kind ?? "email") !== "email") {
    refuseIfAny([unknownTemplate(id)]);
  }
  return found ?? { id };
};

const rendered = async (
  tenant: Tenant,
  { template_id = "", merge_data = {}, subject }: SendEmailRequest,
  data: Readonly<Record<string, unknown>>,
): Promise<EmailContent> => {
  const template = await templateOf(tenant, template_id);
  const { subject: ownSubject, html: ownHtml, text: ownText, name } = template;
  const parts = templateParts({ subject: ownSubject, html: ownHtml, text: ownText });
  const locOf = () => ["body", "template_id"];
  const { html, text, ...made } = await renderTemplate(parts, { ...data, ...merge_data }, { locOf });
  return {
    subject: subject ?? made.subject,
    ...(html !== "" && { html }),
    ...(text !== "" && { text }),
    template: { id: template.id, schema: "template", name: textOf(name) ?? "" },
  };
};

const written = async (request: SendEmailRequest): Promise<EmailContent> => {
  const { subject = "", html_content: html, plain_text_content } = request;
  const text = plain_text_content ?? (html === undefined ? undefined : (await htmlToText(html)).text);
  return { subject, ...(html !== undefined && { html }), ...(text !== undefined && { text }) };
};

/** Before the end of the body, if there is one. */
const withHtmlFooter = (html: string, footer: string): string => {
  const end = [...html.matchAll(/<\/body\s*>/gi)].at(-1)?.index ?? html.length;
  return `${html.slice(0, end)}${footer}${html.slice(end)}`;
};

const withFooter = (content: EmailContent, { mail_settings }: SendEmailRequest): EmailContent => {
  const footer = mail_settings?.footer;
  if (footer?.enable !== true) return content;
  const { html, text } = content;
  return {
    ...content,
    ...(html !== undefined && footer.html !== undefined && { html: withHtmlFooter(html, footer.html) }),
    ...(text !== undefined && footer.text !== undefined && { text: `${text}\n\n${footer.text}` }),
  };
};

const refuseLarge = ({ html = "", text = "" }: EmailContent): void => {
  if (html.length <= messageLimits.content && text.length <= messageLimits.content) return;
  const msg = `One part of the content has more than ${messageLimits.content} characters.`;
  refuseIfAny([{ loc: ["body"], msg, type: "too_large" }]);
};

/**
 * Subject and content of a request, from its template or as it gives them. `recordData`: what templates read of the
 * record that the message is about. Raises `validation_failed`.
 */
export const contentOf = async (
  tenant: Tenant,
  request: SendEmailRequest,
  { isList, recordData }: { readonly isList: boolean; readonly recordData: Readonly<Record<string, unknown>> },
): Promise<EmailContent> => {
  const data = { ...recordData, ...(isList && { unsubscribe_url: sharedLink() }) };
  const content = request.template_id === undefined ? await written(request) : await rendered(tenant, request, data);
  const complete = withFooter(content, request);
  refuseLarge(complete);
  return complete;
};
