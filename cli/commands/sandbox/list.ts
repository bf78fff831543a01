import { Command } from "commander";
import type { Sandbox } from "../../connection/access.ts";
import { connectParent } from "../../connection/platform.ts";
import { type CommonOptions, withExamples, withFormats, withParentConnection } from "../../options.ts";
import { formatOf, rowWriter } from "../../terminal/show.ts";
import { remark } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";
import { workspaceSandbox } from "./name.ts";

const run = async (options: CommonOptions): Promise<void> => {
  const { target, call } = await connectParent(options);
  const sandboxes = (await call({ method: "GET", path: "/v1/sandbox", repeatable: true })).body as Sandbox[];
  const format = formatOf(options);
  const writer = rowWriter(format, options);
  if (format === "table") {
    const current = await workspaceSandbox(target);
    const rows = sandboxes.map((sandbox) => ({
      current: sandbox.sandbox_name === current ? "*" : "",
      name: sandbox.sandbox_name,
      status: sandbox.status,
      users: sandbox.users,
      schedules: sandbox.enable_schedules ? "on" : "off",
      refreshed: sandbox.refreshed_date,
      description: sandbox.description?.split("\n", 1)[0],
    }));
    const columns = [
      { key: "current", title: " " },
      { key: "name" },
      { key: "status" },
      { key: "users", type: "number" },
      { key: "schedules" },
      { key: "refreshed", format: "date-time" },
      { key: "description" },
    ];
    await writer.write(columns, rows);
  } else {
    const keys = Object.keys(sandboxes[0] ?? {});
    await writer.write(
      keys.map((key) => ({ key })),
      sandboxes,
    );
  }
  if (sandboxes.length > 0 || format !== "table") await writer.end();
  remark(
    sandboxes.length === 0
      ? "There are no sandboxes yet: tenantry sandbox create staging"
      : `${counted(sandboxes.length, "sandbox", "sandboxes")}. A star marks the one that commands here work in.`,
  );
};

export const listSandboxes = (): Command =>
  withExamples(
    withParentConnection(
      withFormats(
        new Command("list")
          .alias("ls")
          .summary("show the sandboxes")
          .description("Shows the sandboxes of the organization; a star marks the one that commands here work in."),
      ),
    ),
    ["tenantry sandbox list"],
    ["tenantry sandbox list --output ndjson | jq -r .sandbox_name"],
  ).action(run);
