import { Command } from "commander";
import { changeStore, withProfile } from "../../connection/credentials.ts";
import { cleanUrl } from "../../connection/target.ts";
import { Failure } from "../../failure.ts";
import { withColour, withExamples } from "../../options.ts";
import { done, remark } from "../../terminal/terminal.ts";

const run = async (name: string, options: { url: string }): Promise<void> => {
  if (!/^[\w.-]{1,60}$/.test(name)) {
    throw new Failure("usage", `${name} cannot be a profile's name.`, {
      hint: "Use letters, digits, dots and dashes.",
    });
  }
  const url = cleanUrl(options.url);
  await changeStore((store) => {
    if (store.profiles[name]) {
      throw new Failure("usage", `There is a profile ${name} already, for ${store.profiles[name].url}.`, {
        hint: `Remove it first: tenantry profile remove ${name}`,
      });
    }
    return withProfile(store, name, { url, access_tokens: {} });
  });
  done(`Added the profile ${name} for ${url}`);
  remark(`Next: tenantry login --profile ${name}`);
};

export const addProfile = (): Command =>
  withExamples(
    withColour(
      new Command("add")
        .summary("add a profile")
        .description("Adds a profile: a name for a platform and for you there.")
        .argument("<name>", "what to call it")
        .requiredOption("--url <address>", "the platform's address"),
    ),
    ["tenantry profile add work --url https://api.example.com"],
  ).action(run);
