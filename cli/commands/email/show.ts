import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import type { Json } from "../../json.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../../options.ts";
import { showOne } from "../../terminal/show.ts";
import { writeMailFile } from "./mail-file.ts";

interface Options extends CommonOptions {
  readonly eml?: string;
}

interface Event {
  readonly type: string;
  readonly at: string;
  readonly detail?: string;
}

const listed = (value: unknown): string | undefined => (Array.isArray(value) ? value.join(", ") : undefined);

const eventLine = ({ type, at, detail }: Event): string => `${at} ${type}${detail === undefined ? "" : `: ${detail}`}`;

/** What people look for first, without what is empty. */
const summaryOf = (message: Json): Json => {
  const { id, status, from_email, to_email, subject, error, text, events } = message;
  const all = {
    id,
    status,
    from: from_email,
    to: listed(message.to) ?? to_email,
    cc: listed(message.cc),
    subject,
    error,
    text,
    events: Array.isArray(events) ? events.map((event: Event) => eventLine(event)).join("\n") : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
};

const run = async (id: string, options: Options): Promise<void> => {
  const platform = await connect(options);
  const where = path`/v1/email-services/emailvendor/messages/${id}`;
  const message = (await platform.call({ method: "POST", path: where, reads: true, repeatable: true })).body as Json;
  if (options.eml !== undefined) return writeMailFile(platform, message, options.eml);
  const summary = summaryOf(message);
  const columns = Object.keys(summary).map((key) => ({ key }));
  await showOne(options, message, columns, summary);
};

export const showEmail = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("show")
          .summary("show an email with its events")
          .description("Shows one email: its status, its text, and what has happened to it.")
          .argument("<id>", "the id of the message")
          .option("--eml <file>", "write it as a file that mail programs open, instead"),
      ),
    ),
    ["tenantry email show 019a0000-0000-7000-8000-000000000000"],
    ["tenantry email show 019a0000-0000-7000-8000-000000000000 --eml mail.eml"],
    ["tenantry email show 019a0000-0000-7000-8000-000000000000 --json | jq -r .body > mail.html"],
  ).action(run);
