import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import type { Json } from "../../json.ts";
import { between, type CommonOptions, withConnection, withExamples, withFormats } from "../../options.ts";
import { formatOf, rowWriter } from "../../terminal/show.ts";
import { remark } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

interface SearchOptions extends CommonOptions {
  readonly limit: number;
  readonly all?: true;
}

const columns = [
  { key: "created_date", title: "created", format: "date-time" },
  { key: "status" },
  { key: "from_email", title: "from" },
  { key: "to_email", title: "to" },
  { key: "subject" },
  { key: "opens", type: "number" },
  { key: "clicks", type: "number" },
  { key: "id" },
];

const run = async (query: string | undefined, options: SearchOptions): Promise<void> => {
  const { call } = await connect(options);
  const format = formatOf(options);
  const writer = rowWriter(format, options);
  let shown = 0;
  let cursor: string | undefined;
  do {
    const json = { limit: options.limit, ...(query && { query }), ...(cursor && { cursor }) };
    const path = "/v1/email-services/emailvendor/messages/search";
    const reply = await call({ method: "POST", path, json, reads: true, repeatable: true });
    const { messages, next_cursor } = reply.body as { messages: readonly Json[]; next_cursor?: string };
    const keys = Object.keys(messages[0] ?? {}).map((key) => ({ key }));
    if (messages.length > 0) await writer.write(format === "table" ? columns : keys, messages);
    shown += messages.length;
    cursor = next_cursor;
  } while (options.all && cursor !== undefined);
  if (shown > 0 || format !== "table") await writer.end();
  remark(`${counted(shown, "email")}${cursor === undefined ? "" : ", and there are more: --all or --limit"}`);
};

export const searchEmails = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        new Command("search")
          .summary("find emails, sent and received")
          .description("Shows the emails that you may read, newest first.")
          .argument("[condition]", "what they have to be, as after WHERE in a query")
          .option("--limit <number>", "so many emails, or of one page with --all", between(1, 1_000), 100)
          .option("--all", "go on until there are no more"),
      ),
    ),
    ["tenantry email search"],
    ["tenantry email search \"status = 'bounced' AND created_date = last_n_days:7\""],
  ).action(run);
