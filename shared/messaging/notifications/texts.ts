import { notificationLimits } from "#contracts/notification-bodies";
import type { NotificationContent } from "#contracts/notification-messages";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { oneLine } from "#shared/foundation/one-line";
import { renderTemplate, templateParts } from "../compose/compose.ts";

/** A `template` record. */
export interface StoredTemplate {
  _id: string;
  subject?: string | null;
  html?: string | null;
  text?: string | null;
}

type Content = Pick<NotificationContent, "title" | "body" | "html">;

export interface Texts {
  readonly content: Content;
  /** Why the template was not used. */
  readonly problem?: string;
}

const titleOf = (text: string): string => oneLine(text, notificationLimits.title);

const rendered = async (
  name: string,
  { subject, html, text }: StoredTemplate,
  data: Readonly<Record<string, unknown>>,
): Promise<Content> => {
  const made = await renderTemplate(templateParts({ subject, html, text }), data);
  return {
    title: titleOf(made.subject) || titleOf(name),
    body: made.text.trim().slice(0, notificationLimits.body).toWellFormed(),
    ...(made.html !== "" && { html: made.html }),
  };
};

/** What a setting says: by its template, else its name. Its name too if the template cannot be rendered for the data. */
export const textsFor = async (
  name: string,
  template: StoredTemplate | null,
  data: Readonly<Record<string, unknown>>,
): Promise<Texts> => {
  const plain = { title: titleOf(name), body: "" };
  if (template === null) return { content: plain };
  try {
    return { content: await rendered(name, template, data) };
  } catch (error) {
    if (!(error instanceof Fault && error.code === "validation_failed")) throw error;
    const problem = `The template cannot be rendered: ${error.issues[0]?.msg ?? error.message}`;
    log.info({ template: template._id, problem }, "a notification is told by the name of its setting");
    return { content: plain, problem };
  }
};
