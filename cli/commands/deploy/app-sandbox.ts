import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { labelOf } from "../../connection/places.ts";
import { connectParent } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { pushLines, type SandboxPush } from "../../data/sandbox-diff.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../options.ts";
import { askWhether } from "../../terminal/prompt.ts";
import { done, isTerminal, print, warn } from "../../terminal/terminal.ts";
import { plain } from "../../terminal/text.ts";

interface DeployOptions extends CommonOptions {
  readonly target?: string;
  readonly yes?: true;
}

const run = async (sandbox: string, app: string, options: DeployOptions): Promise<void> => {
  const platform = await connectParent(options);
  const parent = await platform.place();
  const target = options.target ?? parent.id;
  const where = target === parent.id ? labelOf(parent) : `sandbox ${target} of ${labelOf(parent)}`;
  if (!options.yes) {
    await askWhether({
      message: `Deploy ${app} from sandbox ${sandbox} to ${where}?`,
      otherwise: "Add --yes to deploy it without a question.",
    });
  }
  const address = path`/v1/sandbox/${sandbox}/app/${app}/push/${target}`;
  const { body } = await platform.call({
    method: "POST",
    path: address,
    headers: { "idempotency-key": randomUUID() },
    repeatable: true,
  });
  const pushed = body as SandboxPush;
  if ((options.output ?? (isTerminal() ? "table" : "json")) === "json")
    await print(`${JSON.stringify(pushed, undefined, 2)}\n`);
  else for (const line of pushLines(pushed)) await print(`${line}\n`);
  for (const { kind, id, path: place } of pushed.left_out)
    warn(`Not deployed, because it is secret: ${plain(place.join("."))} of ${kind} ${plain(id)}. Set it there.`);
  done(`Deployed ${plain(pushed.app.name)} from ${sandbox} to ${where}`);
};

export const deploySandboxApp = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("sandbox")
          .summary("bring an app from a sandbox to production")
          .description(
            "Brings an app's configuration, as it is in a sandbox, to the organization or to another sandbox, after a " +
              "question. What the target has besides stays. Nothing is changed if something cannot be applied.",
          )
          .argument("<sandbox>", "the sandbox that has the app")
          .argument("<app>", "the app's id, api_name or name")
          .option("--target <target>", "another sandbox; without it the organization itself")
          .option("-y, --yes", "do not ask"),
      ),
    ),
    ["tenantry deploy app sandbox staging crm"],
    ["tenantry deploy app sandbox staging crm --target qa --yes"],
  ).action(run);
