import { notificationLimits } from "#contracts/notification-bodies";
import type { NotificationContent } from "#contracts/notification-messages";

/** A `template` record. */
export interface StoredTemplate {
  _id: string;
  subject?: string | null;
  html?: string | null;
  text?: string | null;
}

type Texts = Pick<NotificationContent, "title" | "body" | "html">;

const titleOf = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, notificationLimits.title);

/** What a setting says, by its template or else its name. */
export const textsFor = async (
  name: string,
  template: StoredTemplate | null,
  _data: Readonly<Record<string, unknown>>,
): Promise<Texts> => {
  if (template === null) return { title: titleOf(name), body: "" };
  return { title: titleOf(template.subject ?? name), body: template.text ?? "" };
};
