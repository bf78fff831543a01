import { notificationLimits } from "#contracts/notification-bodies";
import type { NotificationContent } from "#contracts/notification-messages";
import { oneLine } from "#shared/foundation/one-line";
import { renderTemplate, templateParts } from "../compose/compose.ts";

/** A `template` record. */
export interface StoredTemplate {
  _id: string;
  subject?: string | null;
  html?: string | null;
  text?: string | null;
}

type Texts = Pick<NotificationContent, "title" | "body" | "html">;

const titleOf = (text: string): string => oneLine(text, notificationLimits.title);

/** What a setting says: by its template, else its name. Raises `validation_failed` if the template does not render. */
export const textsFor = async (
  name: string,
  template: StoredTemplate | null,
  data: Readonly<Record<string, unknown>>,
): Promise<Texts> => {
  if (template === null) return { title: titleOf(name), body: "" };
  const { subject, html, text } = template;
  const rendered = await renderTemplate(templateParts({ subject, html, text }), data);
  return {
    title: titleOf(rendered.subject) || titleOf(name),
    body: rendered.text.trim().slice(0, notificationLimits.body).toWellFormed(),
    ...(rendered.html !== "" && { html: rendered.html }),
  };
};
