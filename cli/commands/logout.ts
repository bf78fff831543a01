import { Command } from "commander";
import { changeStore, withProfile } from "../connection/credentials.ts";
import { connectParent } from "../connection/platform.ts";
import { type ConnectionOptions, parentTargetOf } from "../connection/target.ts";
import { exitCodes, Failure } from "../failure.ts";
import { withConnection, withExamples } from "../options.ts";
import { done, warn } from "../terminal/terminal.ts";

/** Ends the session on the platform too. A session that has ended already is no failure. */
const endSession = async (options: ConnectionOptions): Promise<void> => {
  try {
    const platform = await connectParent(options);
    await platform.call({ method: "POST", path: "/v1/auth/logout" });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.exitCode === exitCodes.signedOut) return;
    warn(`The platform could not be told, so the session goes on there until it expires: ${error.message}`);
  }
};

const run = async (options: ConnectionOptions): Promise<void> => {
  const target = await parentTargetOf(options);
  if (target.profile?.refresh_token === undefined) {
    done(`You are not signed in to ${target.url}.`);
    return;
  }
  await endSession(options);
  await changeStore((store) => {
    const profile = store.profiles[target.name];
    if (!profile) return store;
    const { url, email, organization } = profile;
    return withProfile(store, target.name, { url, email, organization, access_tokens: {} });
  });
  done(`Signed out of ${target.url}`);
};

export const logout = (): Command =>
  withExamples(
    withConnection(
      new Command("logout")
        .summary("sign out")
        .description("Ends the session everywhere at once, and forgets its tokens. The profile stays."),
    ),
    ["tenantry logout"],
    ["tenantry logout --profile work"],
  ).action(run);
