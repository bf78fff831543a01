import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { connectParent } from "../../connection/platform.ts";
import { requireSuccess, runOperation } from "../../data/follow-sandbox.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../options.ts";
import { done, remark, warn } from "../../terminal/terminal.ts";
import { readDescription } from "./description.ts";
import { showSandbox } from "./show.ts";

interface CreateOptions extends CommonOptions {
  readonly description?: string;
  readonly wait: boolean;
}

const run = async (name: string, options: CreateOptions): Promise<void> => {
  const description = await readDescription(options.description);
  const platform = await connectParent(options);
  const json = { name, ...(description !== undefined && { description }) };
  const headers = { "idempotency-key": randomUUID() };
  const request = { method: "POST", path: "/v1/sandbox", json, headers } as const;
  const sandbox = await runOperation(platform, { name, verb: "Creating", request, wait: options.wait });
  if (sandbox === undefined) return warn(`The sandbox ${name} was deleted meanwhile.`);
  requireSuccess(sandbox);
  if (sandbox.status === "active") done(`Created ${sandbox.name}`);
  else done(`${sandbox.name} is being made. How far is it? tenantry sandbox get ${name}`);
  await showSandbox(sandbox, options);
  remark(`Work in it: tenantry sandbox use ${name}`);
};

export const createSandbox = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("create")
          .summary("create a sandbox")
          .description(
            "Makes an isolated copy of the organization's configuration, with its administrators as users. Records and " +
              "secrets are not copied, and no message leaves a sandbox. Waits until the copy is complete.",
          )
          .argument("<name>", "lowercase letters, digits and underscores; the first 12 must be its own")
          .option("--description <text>", "Markdown; @notes.md reads it from a file")
          .option("--no-wait", "only begin"),
      ),
    ),
    ["tenantry sandbox create staging"],
    ["tenantry sandbox create staging --description @docs/staging.md --no-wait"],
  ).action(run);
