import { Command } from "commander";
import { send } from "../connection/request.ts";
import { type ConnectionOptions, cleanUrl, parentTargetIn, sandboxNamed } from "../connection/target.ts";
import { type FoundWorkspace, findWorkspace, type Workspace, writeWorkspace } from "../connection/workspace.ts";
import { Failure } from "../failure.ts";
import { withConnection, withExamples } from "../options.ts";
import { askText } from "../terminal/prompt.ts";
import { canAsk, done, remark, warn } from "../terminal/terminal.ts";

interface InitOptions extends ConnectionOptions {
  readonly force?: true;
}

/** A workspace may be created before its platform runs, so an unreachable platform is no failure. */
const greet = async (url: string): Promise<void> => {
  try {
    const { status } = await send(url, { method: "GET", path: "/v1/status", retries: 0 });
    if (status !== 200) warn(`${url} does not answer as a Tenantry platform does.`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(error.message);
  }
};

/** The workspace before. A file that is replaced need not be valid. */
const replaced = (force: boolean): FoundWorkspace | undefined => {
  try {
    return findWorkspace();
  } catch (error) {
    if (force && error instanceof Failure) return undefined;
    throw error;
  }
};

const run = async (options: InitOptions): Promise<void> => {
  const before = replaced(options.force === true);
  const known = await parentTargetIn(before, options);
  const asked =
    options.url === undefined && canAsk()
      ? await askText(
          { message: "The platform's address", otherwise: "tenantry init --url <address>" },
          { initial: known.url },
        )
      : known.url;
  const url = cleanUrl(asked);
  const workspace: Workspace = {
    url,
    ...(options.profile && { profile: options.profile }),
    ...(options.organization && { organization: options.organization }),
    ...(options.sandbox && { sandbox: sandboxNamed(options.sandbox) }),
  };
  const path = await writeWorkspace(workspace, options.force === true);
  done(`Wrote ${path} for ${url}`);
  if (before?.path === path && before.sandbox !== undefined && workspace.sandbox === undefined)
    warn(`Commands here do not work in the sandbox ${String(before.sandbox)} any more.`);
  await greet(url);
  const signedIn = known.url === url && known.profile?.refresh_token !== undefined;
  remark(signedIn ? "Try: tenantry whoami" : "Next: tenantry login");
};

export const init = (): Command =>
  withExamples(
    withConnection(
      new Command("init")
        .summary("make this folder a workspace")
        .description(
          "Writes tenantry.json into this folder: which platform, and if you say so which profile and " +
            "organization, the commands here and in the folders below are for. It holds no secrets; share it.",
        )
        .option("--force", "replace the file that is there"),
    ),
    ["tenantry init", "asks for the address"],
    ["tenantry init --url https://api.example.com --organization org_0123456789abcdef"],
  ).action(run);
