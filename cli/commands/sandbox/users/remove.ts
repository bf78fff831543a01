import { Command } from "commander";
import { labelOf } from "../../../connection/places.ts";
import { connectParent, type Platform } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import { Failure } from "../../../failure.ts";
import type { Json } from "../../../json.ts";
import { type CommonOptions, withExamples, withParentConnection } from "../../../options.ts";
import { askWhether } from "../../../terminal/prompt.ts";
import { done } from "../../../terminal/terminal.ts";
import { counted } from "../../../terminal/text.ts";
import { selected } from "./selected.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The ids of users of the organization, for their emails. */
const idsOf = async ({ call }: Platform, emails: readonly string[]): Promise<string[]> => {
  if (emails.length === 0) return [];
  const wanted = emails.map((email) => email.toLowerCase());
  const query = `SELECT id, email FROM user WHERE email IN (${wanted.map(quoted).join(", ")})`;
  const reply = await call({ method: "POST", path: "/v1/query", json: { query }, reads: true, repeatable: true });
  const { records } = reply.body as { records: readonly Json[] };
  const missing = wanted.find((email) => !records.some((record) => record.email === email));
  if (missing !== undefined) {
    throw new Failure("refused", `The organization has no user ${missing}. Nobody was removed.`, {
      hint: "Somebody who has left it is removed by their id.",
    });
  }
  return records.map(({ id }) => String(id));
};

interface RemoveOptions extends CommonOptions {
  readonly yes?: true;
}

const run = async (args: readonly string[], options: RemoveOptions): Promise<void> => {
  const { sandbox, users } = await selected(args, options);
  const platform = await connectParent(options);
  const found = await idsOf(
    platform,
    users.filter((user) => user.includes("@")),
  );
  const ids = [...new Set([...users.filter((user) => !user.includes("@")), ...found])];
  if (!options.yes) {
    const where = `sandbox ${sandbox} of ${labelOf(await platform.place())}`;
    await askWhether({
      message: `Remove ${counted(ids.length, "user")} from ${where}?`,
      otherwise: "Add --yes to remove them without a question.",
    });
  }
  await platform.call({ method: "DELETE", path: path`/v1/sandbox/${sandbox}/users/${ids.join(",")}` });
  done(`Removed ${counted(ids.length, "user")} from ${sandbox}`);
};

export const removeSandboxUsers = (): Command =>
  withExamples(
    withParentConnection(
      new Command("remove")
        .alias("rm")
        .summary("take users out of a sandbox")
        .description(
          "Ends their sessions in a sandbox, and deletes their user records there. Without a sandbox it is the one that " +
            "commands here work in. They stay users of the organization.",
        )
        .usage("[options] [sandbox] <user...>")
        .argument("<user...>", "ids or emails of users")
        .option("-y, --yes", "do not ask"),
    ),
    ["tenantry sandbox users remove staging ada@example.com"],
    ["tenantry sandbox users remove ada@example.com bob@example.com --yes", "from the one in use"],
  ).action(run);
