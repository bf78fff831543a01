import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { Failure } from "../../failure.ts";
import { isObject, type Json, parseJson } from "../../json.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../../options.ts";
import { showOne } from "../../terminal/show.ts";
import { done } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

interface SendOptions extends CommonOptions {
  readonly body?: string;
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly data?: string;
  readonly record?: string;
  readonly setting?: true;
  readonly push?: true;
  readonly urgent?: true;
  readonly at?: string;
  readonly idempotencyKey?: string;
}

const dataOf = ({ data }: SendOptions): { data?: Json } => {
  if (data === undefined) return {};
  const parsed = parseJson(data);
  if (!isObject(parsed)) throw new Failure("usage", "--data: expected a JSON object.");
  return { data: parsed };
};

/** What is sent directly. */
const dynamicOf = (title: string, options: SendOptions): Json => ({
  title,
  ...(options.body !== undefined && { body: options.body }),
  ...(options.user !== undefined && { user_id: options.user }),
  ...(options.role !== undefined && { role_id: options.role }),
  ...(options.type !== undefined && { type: options.type }),
  ...(options.record !== undefined && { record_id: options.record }),
  ...(options.push && { push_to_mobile: true }),
  ...(options.urgent && { urgent: true }),
  ...(options.at !== undefined && { send_at: options.at }),
  ...dataOf(options),
});

const run = async (title: string, options: SendOptions): Promise<void> => {
  const { call } = await connect(options);
  const setting = [
    { name: title, ...(options.record !== undefined && { record_id: options.record }), ...dataOf(options) },
  ];
  const reply = await call({
    method: "POST",
    path: options.setting ? "/v1/notifications" : "/v1/notifications/dynamic",
    json: options.setting ? setting : dynamicOf(title, options),
    ...(options.idempotencyKey !== undefined && { headers: { "idempotency-key": options.idempotencyKey } }),
  });
  if (options.output !== undefined) return showOne(options, reply.body as Json);
  const { ids } = reply.body as { readonly ids: readonly string[] };
  if (options.setting) return done(`Fired ${title}.`);
  const users = counted(ids.length, "user");
  done(options.at === undefined ? `Told ${users}.` : `Accepted for ${users}, to be told at ${options.at}.`);
};

export const sendNotification = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("send")
          .summary("tell users something")
          .description("Tells you, a user or all users with a role something, or fires a notification setting.")
          .argument("<title>", "the title; with --setting the name of the setting")
          .option("--body <text>", "the text below the title")
          .option("--user <id>", "whom to tell, by default yourself")
          .option("--role <id>", "tell all users with this role")
          .option("--type <type>", "what users can mute")
          .option("--data <json>", "for the app that shows it, or for the setting's template")
          .option("--record <id>", "the record that it is about")
          .option("--push", "show it on phones at once")
          .option("--urgent", "pass quiet hours")
          .option("--at <time>", "when to tell: ISO 8601, such as 2026-12-01T09:00:00Z")
          .option("--setting", "fire the notification setting with this name")
          .option("--idempotency-key <key>", "a repeated command with the same key tells nobody again"),
      ),
    ),
    ["tenantry notification send 'The lift is repaired' --body 'It runs again.'"],
    ["tenantry notification send order_came --setting --data '{\"number\": 7}'"],
  ).action(run);
