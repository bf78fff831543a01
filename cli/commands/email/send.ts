import { randomUUID } from "node:crypto";
import { Command, Option } from "commander";
import { connect } from "../../connection/platform.ts";
import { readSource } from "../../data/input.ts";
import { readInputs } from "../../data/inputs.ts";
import { uploadFile } from "../../data/upload.ts";
import { Failure } from "../../failure.ts";
import type { Json } from "../../json.ts";
import { type CommonOptions, collected, withConnection, withExamples, withJson } from "../../options.ts";
import { showOne } from "../../terminal/show.ts";
import { remark } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

interface SendOptions extends CommonOptions {
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly from?: string;
  readonly replyTo?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly template?: string;
  readonly data?: string;
  readonly set?: readonly string[];
  readonly attach?: readonly string[];
  readonly sendAt?: string;
  readonly list?: true;
  readonly idempotencyKey?: string;
}

interface Sent {
  readonly id: string;
  readonly status: string;
  readonly recipients: readonly { readonly email: string; readonly status: string; readonly reason?: string }[];
}

/** `@file` is the content of a file. */
const textOf = async (text: string | undefined): Promise<string | undefined> =>
  text?.startsWith("@") ? (await readSource(undefined, text.slice(1)))?.text : text;

const run = async (recipients: readonly string[], options: SendOptions): Promise<void> => {
  const { template, data, set } = options;
  const merges = data !== undefined || set !== undefined;
  if (merges && template === undefined) throw new Failure("usage", "--data and --set are for a --template.");
  const merge_data = merges
    ? await readInputs({ ...(data !== undefined && { inputs: data }), ...(set && { set }) })
    : undefined;
  const [text, html] = await Promise.all([textOf(options.text), textOf(options.html)]);
  const platform = await connect(options);
  const files: string[] = [];
  for (const file of options.attach ?? []) files.push(await uploadFile(platform, file));
  const request = {
    to_emails: recipients,
    cc: options.cc,
    bcc: options.bcc,
    from_email: options.from,
    reply_to: options.replyTo,
    subject: options.subject,
    plain_text_content: text,
    html_content: html,
    template_id: template,
    merge_data,
    ...(files.length > 0 && { file_attachments: files }),
    send_at: options.sendAt,
    ...(options.list && { category: "list" }),
  };
  const reply = await platform.call({
    method: "POST",
    path: "/v1/email-services/emailvendor/send",
    json: request,
    // A reply that is lost does not make a second message.
    headers: { "idempotency-key": options.idempotencyKey ?? randomUUID() },
    repeatable: true,
  });
  const { id, status, recipients: all } = reply.body as Sent;
  const columns = ["id", "status", "recipients"].map((key) => ({ key }));
  const told = all.map((one) => (one.reason === undefined ? one.email : `${one.email} (${one.status}: ${one.reason})`));
  await showOne(options, reply.body as Json, columns, { id, status, recipients: told.join(", ") });
  const note = status === "captured" ? " It is kept and not sent: no vendor is set up, or this is a sandbox." : "";
  remark(`${counted(all.length, "recipient")}.${note} What becomes of it: tenantry email show ${id}`);
};

export const sendEmail = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("send")
          .summary("send an email")
          .description("Sends an email, or records it where nothing leaves, and tells the status of each recipient.")
          .argument("<address...>", "whom it is for")
          .option("-s, --subject <text>", "the subject")
          .option("-t, --text <text>", "the text, or @file")
          .option("--html <html>", "the HTML, or @file")
          .option("--template <id>", "a template record instead of the content")
          .option("--data <json>", "the values of the template's variables, or @file")
          .option("--set <name=value>", "one value of the template; may be repeated", collected)
          .option("--attach <file>", "attach a file, at most 4 MiB; may be repeated", collected)
          .option("--cc <address>", "a copy; may be repeated", collected)
          .option("--bcc <address>", "a hidden copy; may be repeated", collected)
          .option("--from <address>", "the sender; your own address unless you say so")
          .option("--reply-to <address>", "where answers go")
          .option("--send-at <time>", "when to send it, such as 2026-12-24T08:00:00Z")
          .option("--list", "one message for each, with a link to unsubscribe")
          .addOption(new Option("--idempotency-key <key>", "names the message, to repeat the command safely")),
      ),
    ),
    ["tenantry email send ada@example.com --subject Hello --text 'Good to see you.'"],
    ["tenantry email send ada@example.com --subject Invoice --html @invoice.html --attach invoice.pdf"],
    ["tenantry email send ada@example.com bob@example.com --list --template 019a… --set month=May", "to a list"],
  ).action(run);
