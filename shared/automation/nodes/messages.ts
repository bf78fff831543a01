import type * as z from "zod";
import { sendEmailRequest } from "#contracts/email-bodies";
import { type NotifyRequest, notifyRequest } from "#contracts/notification-bodies";
import { isObject } from "#shared/foundation/is-object";
import { notify as notifyUsers, sendEmail as sendMessage } from "#shared/messaging/messaging";
import { NodeError } from "../engine/node-error.ts";
import { type Execute, next } from "./node.ts";
import { requireScope } from "./scopes.ts";

/** Raises `NodeError` that names the first wrong values. */
const parsedAs = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const sentences = error.issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new NodeError("validation_failed", sentences.join(" "));
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A reference to a user, a user, or an id. */
const userIdOf = (value: unknown): unknown => (isObject(value) ? value.id : value);

/** Absent values are left out. */
const given = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

export const notify: Execute<"notify"> = async ({ config }, { tenant, evaluation }) => {
  requireScope(tenant, "write");
  const [to, title, body, url] = [config.to, config.title, config.body, config.url].map((one) => evaluation.value(one));
  const data = { ...(evaluation.value(config.data ?? {}) as Record<string, unknown>), ...given({ url }) };
  const users = config.to === undefined ? [undefined] : listOf(to).map(userIdOf);
  if (users.some((id) => id === null)) throw new NodeError("validation_failed", "to: Expected ids of users.");
  const inputs = users.map((user_id) => ({ ...given({ user_id, title, body }), data }));
  const requests: NotifyRequest = parsedAs(notifyRequest, inputs);
  return { result: next, inputs, output: await notifyUsers(tenant, requests) };
};

export const sendEmail: Execute<"send_email"> = async ({ config }, { tenant, evaluation }) => {
  requireScope(tenant, "write");
  const valueIn = (name: Exclude<keyof typeof config, "merge_data">): unknown => evaluation.value(config[name]);
  const lists = (["cc", "bcc", "file_attachments"] as const).map((name) => [
    name,
    config[name] === undefined ? undefined : listOf(valueIn(name)),
  ]);
  const inputs = given({
    to_emails: listOf(valueIn("to")),
    from_email: valueIn("from_email"),
    from_name: valueIn("from_name"),
    ...Object.fromEntries(lists),
    subject: valueIn("subject"),
    plain_text_content: valueIn("text"),
    html_content: valueIn("html"),
    reply_to: valueIn("reply_to"),
    template_id: valueIn("template_id"),
    merge_data: config.merge_data === undefined ? undefined : evaluation.value(config.merge_data),
    send_at: valueIn("send_at"),
    related_to: valueIn("related_to"),
    category: valueIn("category"),
  });
  const { id, status } = await sendMessage(tenant, parsedAs(sendEmailRequest, inputs));
  return { result: next, inputs, output: { id, status } };
};
