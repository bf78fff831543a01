import { Command } from "commander";
import type * as z from "zod";
import type { addSandboxUsers as contract } from "#contracts/sandbox";
import { connectParent } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import { exitCodes } from "../../../failure.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../../options.ts";
import { done, isTerminal, print, warn } from "../../../terminal/terminal.ts";
import { plain } from "../../../terminal/text.ts";
import { selected } from "./selected.ts";

type Added = z.output<(typeof contract)["replies"][200]["body"]>;

const run = async (args: readonly string[], options: CommonOptions): Promise<void> => {
  const { sandbox, users } = await selected(args, options);
  const { call } = await connectParent(options);
  const { body } = await call({
    method: "POST",
    path: path`/v1/sandbox/${sandbox}/users`,
    json: { users },
    repeatable: true,
  });
  const { added_users, not_found } = body as Added;
  for (const email of added_users) done(`Added ${plain(email)} to ${sandbox}`);
  if (added_users.length === 0 && not_found.length < users.length) done(`They are users of ${sandbox} already.`);
  for (const one of not_found) warn(`${plain(one)} is no active user of the organization.`);
  if ((options.output ?? (isTerminal() ? "table" : "json")) === "json")
    await print(`${JSON.stringify(body, undefined, 2)}\n`);
  if (not_found.length > 0) process.exitCode = exitCodes.partly;
};

export const addSandboxUsers = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("add")
          .summary("let users into a sandbox")
          .description(
            "Copies users of the organization into a sandbox, with their permissions and role. Without a sandbox it is the " +
              "one that commands here work in.",
          )
          .usage("[options] [sandbox] <user...>")
          .argument("<user...>", "ids or emails of users of the organization"),
      ),
    ),
    ["tenantry sandbox users add staging ada@example.com bob@example.com"],
  ).action(run);
