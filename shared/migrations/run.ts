import { setTimeout } from "node:timers/promises";
import type { Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { invokeLater } from "#shared/foundation/aws/functions";
import { elapsedMillis, now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { base, type MigrationRun, type OrganizationEntry, placementFields } from "#shared/tenant/tenant";
import { migrateBase, previewBase } from "./base.ts";
import { noteFailure, withLease } from "./lease.ts";
import { thisRelease } from "./ledger/ledger.ts";
import {
  MigrationError,
  migrateOrganization,
  type PlacedOrganization,
  type Preview,
  previewOrganization,
} from "./organization.ts";

export interface MigrationOptions {
  /** Reports what would be done, and writes nothing. */
  readonly dry_run: boolean;
  /** Only these, also if they are up to date; otherwise all that are not. */
  readonly organization_ids?: readonly string[] | undefined;
  /** Organizations at the same time. */
  readonly at_once: number;
  /** Organizations that are begun in a second, at most. 0: as fast as they are done. */
  readonly per_second: number;
  /** Continues a run. */
  readonly run_id?: string | undefined;
  /** The number of this invocation in its run, from 1. */
  readonly invocation: number;
  /** Milliseconds that are left for this invocation. */
  readonly remaining: () => number;
}

export interface MigrationReport {
  readonly run_id: string;
  readonly release: string;
  /** False if time ran out: the run must be continued. */
  readonly finished: boolean;
  readonly done: number;
  readonly failed: number;
  /** Organizations that another run works on. */
  readonly skipped: number;
  /** Organizations that are not up to date. */
  readonly remaining: number;
  /** Migration → number of databases in which it was completed, or would be. */
  readonly by_migration: Record<string, number>;
  readonly failures: { organization_id: string; migration: string; reason: string }[];
  /** In a dry run: organization → what would be done. */
  readonly preview?: Record<string, Preview>;
}

/** No organization is begun when less time is left. */
const RESERVE_MS = 60_000;
/** The invocation ends when less time is left, even if an organization is not done. */
const LAST_MS = 20_000;
const PAGE = 200;
const MOST_LISTED = 20;
const KEPT_MS = 90 * 86_400_000;

interface Counts {
  done: number;
  failed: number;
  skipped: number;
  readonly by_migration: Record<string, number>;
}

/** Others are not complete yet, or not any more. */
const isComplete = { $nin: ["provisioning", "deleting"] as ("provisioning" | "deleting")[] };

const notUpToDate = (): Filter<OrganizationEntry> => ({
  migrated: { $ne: thisRelease().id },
  status: isComplete,
});

const placement = { projection: { ...placementFields, index_change_at: 1 } } as const;

/**
 * Organizations that are not up to date and have not failed in this run, in the order of their ids. Chosen ones at first
 * also if they are up to date.
 */
async function* due(options: MigrationOptions, runId: string): AsyncGenerator<PlacedOrganization> {
  const { organization_ids, invocation } = options;
  const { organizations } = await base();
  const chosen = organization_ids === undefined ? {} : { _id: { $in: [...organization_ids] } };
  const isFirst = organization_ids !== undefined && invocation === 1;
  const left = { ...notUpToDate(), "migration_failure.run_id": { $ne: runId } };
  const filter = { ...chosen, ...(isFirst ? { status: isComplete } : left) };
  for (let after = ""; ; ) {
    const page = await organizations
      .find({ $and: [filter, { _id: { $gt: after } }] }, placement)
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last._id;
  }
}

/** Resolves when the next organization may begin. */
const pacer = (perSecond: number): (() => Promise<void>) => {
  let next = 0;
  return async () => {
    if (perSecond === 0) return;
    const at = Math.max(next, elapsedMillis());
    next = at + 1000 / perSecond;
    const wait = at - elapsedMillis();
    if (wait > 0) await setTimeout(wait);
  };
};

const countMigrations = ({ by_migration }: Counts, completed: readonly string[]): void => {
  for (const id of completed) by_migration[id] = (by_migration[id] ?? 0) + 1;
};

const migrateOne = async (entry: PlacedOrganization, runId: string, counts: Counts): Promise<void> => {
  const { _id: organization } = entry;
  try {
    const completed = await withLease(organization, () => migrateOrganization(entry));
    if (completed === undefined) {
      counts.skipped += 1;
      return;
    }
    counts.done += 1;
    countMigrations(counts, completed.value);
  } catch (error) {
    counts.failed += 1;
    const migration = error instanceof MigrationError ? error.migration : "open";
    const reason = error instanceof Error ? error.message.slice(0, 500) : String(error);
    log.error({ alarm: "migrate-failed", organization, migration, run: runId, err: error }, "a migration failed");
    await noteFailure(organization, { run_id: runId, migration, reason, at: now() });
  }
};

/** Whether all organizations were begun and have ended in time. */
const workThrough = async (options: MigrationOptions, runId: string, counts: Counts): Promise<boolean> => {
  const { at_once, per_second, remaining } = options;
  const queue = due(options, runId);
  const turn = pacer(per_second);
  let isComplete = true;
  const worker = async (): Promise<void> => {
    for (;;) {
      if (remaining() < RESERVE_MS) {
        isComplete = false;
        return;
      }
      await turn();
      const { value, done } = await queue.next();
      if (done === true) return;
      await migrateOne(value, runId, counts);
    }
  };
  const work = Promise.all(Array.from({ length: at_once }, worker));
  const timer = new AbortController();
  const end = setTimeout(Math.max(remaining() - LAST_MS, 0), "late" as const, { signal: timer.signal });
  const outcome = await Promise.race([work, end.catch(() => "late" as const)]);
  timer.abort();
  return outcome !== "late" && isComplete;
};

const noteRun = async (runId: string, counts: Counts, isFinished: boolean): Promise<MigrationRun> => {
  const { migrationRuns } = await base();
  const { done, failed, skipped, by_migration } = counts;
  const byMigration = Object.entries(by_migration).map(([id, count]) => [`by_migration.${id}`, count] as const);
  const at = now();
  const run = await migrationRuns.findOneAndUpdate(
    { _id: runId },
    {
      $setOnInsert: { release: thisRelease().id, started: at, expires_at: new Date(at.getTime() + KEPT_MS) },
      $set: isFinished ? { finished: at } : {},
      $inc: { invocations: 1, done, failed, skipped, ...Object.fromEntries(byMigration) },
    },
    { upsert: true, returnDocument: "after" },
  );
  if (run === null) throw new Error("The run of the migrations was not recorded.");
  return run;
};

/** Of the run, or of any. */
const failuresOf = async (runId?: string): Promise<MigrationReport["failures"]> => {
  const { organizations } = await base();
  const failed = runId === undefined ? { migration_failure: { $exists: true } } : { "migration_failure.run_id": runId };
  const found = await organizations
    .find({ $and: [notUpToDate(), failed] })
    .limit(MOST_LISTED)
    .toArray();
  return found.flatMap(({ _id: organization_id, migration_failure: failure }) =>
    failure === undefined ? [] : [{ organization_id, migration: failure.migration, reason: failure.reason }],
  );
};

const remainingOrganizations = async (): Promise<number> => (await base()).organizations.countDocuments(notUpToDate());

const preview = async (options: MigrationOptions): Promise<MigrationReport> => {
  const counts: Counts = { done: 0, failed: 0, skipped: 0, by_migration: {} };
  const previews: Record<string, Preview> = {};
  countMigrations(counts, await previewBase());
  let isFinished = true;
  for await (const entry of due(options, "")) {
    if (options.remaining() < RESERVE_MS) {
      isFinished = false;
      break;
    }
    const one = await previewOrganization(entry);
    countMigrations(counts, Object.keys(one));
    if (Object.keys(previews).length < MOST_LISTED) previews[entry._id] = one;
  }
  return {
    run_id: "",
    release: thisRelease().id,
    finished: isFinished,
    ...counts,
    remaining: await remainingOrganizations(),
    failures: await failuresOf(),
    preview: previews,
  };
};

/** A run of 100,000 organizations at 20 a second takes six. */
const MOST_INVOCATIONS = 1_000;

/** Invokes the function again. An invocation that came to nothing is the last one, so that no run goes on for ever. */
const goOn = async (options: MigrationOptions, runId: string, { done, failed }: Counts): Promise<void> => {
  const { organization_ids, at_once, per_second, invocation } = options;
  if (done + failed === 0 || invocation >= MOST_INVOCATIONS)
    throw new Error(`The run ${runId} does not get on. Nothing more was begun in invocation ${invocation}.`);
  const chosen = organization_ids === undefined ? {} : { organization_ids };
  await invokeLater("migrate", { ...chosen, at_once, per_second, run_id: runId, invocation: invocation + 1 });
};

/**
 * Runs the missing migrations of the base database, and then of every organization that is not up to date. The failure
 * of one organization is recorded and does not stop the others. A run that is repeated or continued does only what is
 * left. Raises what a migration of the base database raises.
 */
export const migrateAll = async (options: MigrationOptions): Promise<MigrationReport> => {
  if (options.dry_run) return preview(options);
  const { run_id: runId = uuidv7() } = options;
  const counts: Counts = { done: 0, failed: 0, skipped: 0, by_migration: {} };
  const [forBase, before] = await Promise.all([migrateBase(), remainingOrganizations()]);
  countMigrations(counts, forBase);
  const isIdle = before === 0 && options.organization_ids === undefined && options.run_id === undefined;
  if (isIdle && forBase.length === 0) {
    return { run_id: "", release: thisRelease().id, finished: true, ...counts, remaining: 0, failures: [] };
  }
  const start = nowMillis();
  const isFinished = await workThrough(options, runId, counts);
  const { done, failed, skipped, by_migration = {} } = await noteRun(runId, counts, isFinished);
  const [remaining, failures] = await Promise.all([remainingOrganizations(), failuresOf(runId)]);
  const report = { run_id: runId, release: thisRelease().id, finished: isFinished, done, failed, skipped, remaining };
  log.info({ ...report, by_migration, ms: nowMillis() - start }, "migrations");
  if (!isFinished) await goOn(options, runId, counts);
  return { ...report, by_migration, failures };
};
