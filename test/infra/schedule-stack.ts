import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { App } from "aws-cdk-lib/core";
import * as z from "zod";
import { defineJob, jobHandler, type Rate } from "#contracts/schedules";
import { addChecks } from "../../infra/stacks/checks.ts";
import { type ScheduledJob, SchedulesStack } from "../../infra/stacks/schedules.ts";
import { parseSettings } from "../../infra/stacks/settings.ts";

const settings: ScheduledJob = { needs: { timeout: 30 }, impact: "what nobody uses any more stays." };

/** A stack with the job `sweep`. `directory` has the code of its function. */
export const scheduleApp = (
  directory: string,
  {
    rate = { minutes: 5 },
    jobs = { sweep: settings },
    checks = false,
    outdir,
  }: { rate?: Rate; jobs?: Readonly<Record<string, ScheduledJob>>; checks?: boolean; outdir?: string } = {},
) => {
  const app = new App({
    context: { "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true },
    analyticsReporting: false,
    ...{ builtinCloudFormationValidation: checks },
    ...(outdir && { outdir }),
  });
  if (checks) addChecks(app);
  const contract = defineJob({ job: "sweep", summary: "Sweeps up", rate, output: z.object({}) });
  mkdirSync(resolve(directory), { recursive: true });
  const bundle = { directory: resolve(directory), hash: "0".repeat(64), bytes: 0, coldBytes: 0 };
  const stack = new SchedulesStack(app, "example", {
    settings: parseSettings({}, "1.0.0"),
    bundles: new Map([[jobHandler(contract), bundle]]),
    contracts: [contract],
    jobs,
  });
  return { app, stack };
};
