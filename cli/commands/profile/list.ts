import { Command } from "commander";
import { readStore } from "../../connection/credentials.ts";
import { type OutputOptions, withColour, withExamples, withFormats } from "../../options.ts";
import { formatOf, rowWriter } from "../../terminal/show.ts";
import { remark } from "../../terminal/terminal.ts";

const run = async (options: OutputOptions): Promise<void> => {
  const { current, profiles } = await readStore();
  const format = formatOf(options);
  const rows = Object.entries(profiles).map(([name, { url, email, organization, refresh_token }]) => ({
    current: format === "table" ? (name === current ? "*" : "") : name === current,
    name,
    url,
    email: email ?? null,
    organization: organization ?? null,
    signed_in: refresh_token !== undefined,
  }));
  if (rows.length === 0) remark("There are no profiles yet: tenantry login");
  const writer = rowWriter(format, options);
  const keys = ["name", "url", "email", "signed_in"].map((key) => ({ key, title: key.replace("_", " ") }));
  await writer.write([{ key: "current", title: " " }, ...keys], rows);
  if (rows.length > 0 || format !== "table") await writer.end();
};

export const listProfiles = (): Command =>
  withExamples(
    withColour(
      withFormats(
        new Command("list")
          .alias("ls")
          .summary("show the profiles")
          .description("Shows the profiles; a star marks the current one."),
      ),
    ),
    ["tenantry profile list"],
  ).action(run);
