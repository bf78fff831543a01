import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import type { Json } from "../../json.ts";
import { between, type CommonOptions, withConnection, withExamples, withFormats } from "../../options.ts";
import { formatOf, rowWriter } from "../../terminal/show.ts";
import type { Column } from "../../terminal/table.ts";
import { remark } from "../../terminal/terminal.ts";

interface ListOptions extends CommonOptions {
  readonly unread?: true;
  readonly limit: number;
}

const columns: readonly Column[] = ["id", "created_date", "read", "type", "title", "body"].map((key) => ({ key }));

const run = async (options: ListOptions): Promise<void> => {
  const { call } = await connect(options);
  const query = new URLSearchParams({ limit: String(options.limit), ...(options.unread && { unread: "true" }) });
  const reply = await call({ method: "GET", path: `/v1/notifications?${query}`, repeatable: true });
  const { notifications, unread_count } = reply.body as { notifications: Json[]; unread_count: number };
  const writer = rowWriter(formatOf(options), options);
  await writer.write(columns, notifications);
  await writer.end();
  remark(`${unread_count} unread`);
};

export const listNotifications = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        new Command("list")
          .summary("your notifications")
          .description("Your notifications, newest first.")
          .option("--unread", "only those that are not read")
          .option("--limit <number>", "how many", between(1, 200), 50),
      ),
    ),
    ["tenantry notification list --unread"],
  ).action(run);
