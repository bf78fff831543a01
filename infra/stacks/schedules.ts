import { Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { JobContract, ScheduledWorkContract } from "#contracts/schedules";
import type { Needs } from "../constructs/needs.ts";
import { ScheduledTarget } from "../constructs/scheduled-target.ts";
import { ScheduledWork } from "../constructs/scheduled-work.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";

/** What a job has besides its contract. */
export interface ScheduledJob {
  /** Of its function, besides the database. */
  readonly needs: Needs;
  /** The effect on users while the job does not run or fails. */
  readonly impact: string;
}

/** What work of schedules that are made at run time has besides its contract. */
export interface ScheduledWorkSettings extends ScheduledJob {
  /** The maximum of executions at the same time; 0 for the account's limit. */
  readonly mostConcurrent: number;
}

export interface SchedulesStackProps extends PlatformStackProps {
  readonly contracts: readonly JobContract[];
  /** By the names of the contracts. */
  readonly jobs: Readonly<Record<string, ScheduledJob>>;
  /** What schedules invoke that are made at run time, with its contract. */
  readonly work?: readonly (ScheduledWorkSettings & { readonly contract: ScheduledWorkContract })[];
}

/** The recurring jobs, and what schedules invoke that are made at run time. */
export class SchedulesStack extends Stack {
  /** @throws Error if the jobs and their contracts do not match */
  constructor(scope: Construct, id: string, props: SchedulesStackProps) {
    super(scope, id, props);
    const { settings, bundles, contracts, jobs, work = [] } = props;
    const unknown = Object.keys(jobs).find((name) => !contracts.some(({ job }) => job === name));
    if (unknown !== undefined) throw new Error(`The job ${unknown} has no contract in shared/contracts/jobs.ts`);
    for (const contract of contracts) {
      const job = jobs[contract.job];
      if (!job) throw new Error(`infra/stacks/jobs.ts does not say what the job ${contract.job} needs`);
      const needs: Needs = { database: true, ...job.needs };
      new ScheduledTarget(this, contract.job, { settings, bundles, contract, needs, impact: job.impact });
    }
    for (const { contract, ...own } of work) {
      const needs: Needs = { database: true, ...own.needs };
      new ScheduledWork(this, contract.work, { settings, bundles, contract, ...own, needs });
    }
  }
}
