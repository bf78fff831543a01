import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

interface ReadOptions extends CommonOptions {
  readonly all?: true;
}

type Call = Awaited<ReturnType<typeof connect>>["call"];

/** A page of unread ones. */
const unreadIds = async (call: Call): Promise<string[]> => {
  const reply = await call({ method: "GET", path: "/v1/notifications?unread=true&limit=200", repeatable: true });
  return (reply.body as { notifications: { id: string }[] }).notifications.map(({ id }) => id);
};

const mark = async (call: Call, ids: readonly string[]): Promise<number> => {
  const reply = await call({ method: "POST", path: "/v1/notifications/mark-read", json: ids, repeatable: true });
  return (reply.body as { updated: number }).updated;
};

const markAll = async (call: Call): Promise<number> => {
  let updated = 0;
  for (let ids = await unreadIds(call); ids.length > 0; ids = await unreadIds(call)) updated += await mark(call, ids);
  return updated;
};

const run = async (ids: readonly string[], options: ReadOptions): Promise<void> => {
  if ((ids.length === 0) === (options.all === undefined)) {
    throw new Failure("usage", "Name notifications by their ids, or give --all.");
  }
  const { call } = await connect(options);
  const updated = options.all ? await markAll(call) : await mark(call, ids);
  done(`${counted(updated, "notification")} ${updated === 1 ? "is" : "are"} read now.`);
};

export const readNotifications = (): Command =>
  withExamples(
    withConnection(
      new Command("read")
        .summary("mark notifications as read")
        .description("Marks your notifications as read.")
        .argument("[ids...]", "the notifications' ids")
        .option("--all", "all of yours"),
    ),
    ["tenantry notification read 019a0000-0000-7000-8000-000000000000"],
    ["tenantry notification read --all"],
  ).action(run);
