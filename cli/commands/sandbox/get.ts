import { Command } from "commander";
import type { Sandbox } from "../../connection/access.ts";
import { connectParent } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../options.ts";
import { givenOrCurrent } from "./name.ts";
import { showDetails } from "./show.ts";

const run = async (given: string | undefined, options: CommonOptions): Promise<void> => {
  const name = await givenOrCurrent(given, options);
  const { call } = await connectParent(options);
  const { body } = await call({ method: "GET", path: path`/v1/sandbox/${name}`, repeatable: true });
  await showDetails(body as Sandbox, options);
};

export const getSandbox = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("get")
          .summary("show a sandbox")
          .description("Shows a sandbox: its state, how far an operation has come, and why the last one failed.")
          .argument("[name]", "the sandbox, unless it is the one that commands here work in"),
      ),
    ),
    ["tenantry sandbox get staging"],
    ["tenantry sandbox get staging --json | jq .progress"],
  ).action(run);
