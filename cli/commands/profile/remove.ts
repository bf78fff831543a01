import { Command } from "commander";
import { changeStore } from "../../connection/credentials.ts";
import { known } from "../../connection/known-profile.ts";
import { Failure } from "../../failure.ts";
import { withColour, withExamples } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";

const run = async (name: string): Promise<void> => {
  await changeStore((store) => {
    if (known(store, name).refresh_token !== undefined) {
      throw new Failure("usage", `You are still signed in with the profile ${name}.`, {
        hint: `Sign out first: tenantry logout --profile ${name}`,
      });
    }
    const { [name]: _removed, ...profiles } = store.profiles;
    const [next = "default"] = Object.keys(profiles);
    return { current: store.current === name ? next : store.current, profiles };
  });
  done(`Removed the profile ${name}`);
};

export const removeProfile = (): Command =>
  withExamples(
    withColour(
      new Command("remove")
        .alias("rm")
        .summary("remove a profile")
        .description("Removes a profile that you are signed out of.")
        .argument("<name>", "the profile"),
    ),
    ["tenantry profile remove work"],
  ).action(run);
