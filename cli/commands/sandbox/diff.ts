import { Command } from "commander";
import { connectParent } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { diffLines, type SandboxDiff } from "../../data/sandbox-diff.ts";
import { exitCodes } from "../../failure.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../options.ts";
import { isTerminal, print, remark } from "../../terminal/terminal.ts";
import { givenOrCurrent } from "./name.ts";

interface DiffOptions extends CommonOptions {
  readonly exitCode?: true;
}

export const showDiff = async (diff: SandboxDiff, { output }: CommonOptions): Promise<void> => {
  if ((output ?? (isTerminal() ? "table" : "json")) === "json") return print(`${JSON.stringify(diff, undefined, 2)}\n`);
  if (diff.identical) return remark(`${diff.sandbox_name} is like its parent.`);
  await print(`${diffLines(diff).join("\n")}\n`);
};

const run = async (given: string | undefined, options: DiffOptions): Promise<void> => {
  const name = await givenOrCurrent(given, options);
  const { call } = await connectParent(options);
  const diff = (await call({ method: "GET", path: path`/v1/sandbox/${name}/diff`, repeatable: true }))
    .body as SandboxDiff;
  await showDiff(diff, options);
  if (options.exitCode && !diff.identical) process.exitCode = exitCodes.differs;
};

export const diffSandbox = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("diff")
          .summary("compare a sandbox with its organization")
          .description(
            "Shows the configuration that differs, by kind: + is only in the sandbox, ~ has other values there, and - is " +
              "only in the organization.",
          )
          .argument("[name]", "the sandbox, unless it is the one that commands here work in")
          .option("--exit-code", "exit with 7 if something differs"),
      ),
    ),
    ["tenantry sandbox diff staging"],
    ["tenantry sandbox diff staging --json | jq .kinds.schemas"],
  ).action(run);
