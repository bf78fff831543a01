import { Command } from "commander";
import { changeStore } from "../../connection/credentials.ts";
import { known } from "../../connection/known-profile.ts";
import { withColour, withExamples } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";

const run = async (name: string): Promise<void> => {
  const store = await changeStore((before) => {
    known(before, name);
    return { ...before, current: name };
  });
  done(`Commands now go to ${known(store, name).url} (profile ${name})`);
};

export const useProfile = (): Command =>
  withExamples(
    withColour(
      new Command("use")
        .summary("make a profile the current one")
        .description("Commands use this profile where neither --profile, TENANTRY_PROFILE nor tenantry.json names one.")
        .argument("<name>", "the profile"),
    ),
    ["tenantry profile use work"],
  ).action(run);
