import type { Document } from "mongodb";
import type * as z from "zod";
import { type ConfigurationKind, configurationKinds, type sandboxDiff } from "#contracts/sandbox-bodies";
import { resolveSchema } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import {
  openWithState,
  refuseReplacedCopy,
  type Tenant,
  type TenantDatabase,
  withSlowReadSlot,
} from "#shared/tenant/tenant";
import { configurationPipeline, SCHEMAS } from "../copying/configuration.ts";
import { sandboxNamed } from "../registry.ts";
import { admit } from "../states.ts";
import { differingParts } from "./difference.ts";

type SandboxDiff = z.input<typeof sandboxDiff>;
type KindDifferences = NonNullable<SandboxDiff["kinds"][ConfigurationKind]>;
type Stored = Document & { _id: string };

/** Differences of one kind that are listed, of each sort. */
const MOST_LISTED = 200;
const BATCH = 200;

/** The documents of a kind as they are copied, in the order of their ids. One batch at a time is in memory. */
async function* documentsOf(
  database: TenantDatabase,
  kind: ConfigurationKind,
  maxTimeMS: number,
): AsyncGenerator<Stored> {
  const [document] = (await database.read<Stored>("schemas", [{ $match: { _id: kind } }]).next()) ?? [];
  const stages = configurationPipeline(kind, document === undefined ? null : resolveSchema(document));
  if (stages === null) return;
  const rows = database.read<Stored>(kind, [{ $sort: { _id: 1 } }, ...stages], { batchSize: BATCH, maxTimeMS });
  try {
    for (let batch = await rows.next(); batch !== null; batch = await rows.next()) yield* batch;
  } finally {
    await rows.close();
  }
}

const labelOf = (kind: ConfigurationKind, { _id, api_name, name }: Stored) => ({
  id: _id,
  name: String((kind === SCHEMAS ? api_name : name) ?? _id),
});

const note = <T>(differences: KindDifferences, list: T[], one: T): void => {
  if (list.length < MOST_LISTED) list.push(one);
  else differences.truncated = true;
};

/** Both sides come in the order of their ids, so that they are compared in one pass. */
const compareKind = async (
  parent: TenantDatabase,
  sandbox: TenantDatabase,
  kind: ConfigurationKind,
  maxTimeMS: number,
): Promise<KindDifferences | null> => {
  const differences: KindDifferences = { added: [], changed: [], removed: [], truncated: false };
  const [before, after] = [documentsOf(parent, kind, maxTimeMS), documentsOf(sandbox, kind, maxTimeMS)];
  let [one, other] = [await before.next(), await after.next()];
  while (one.done !== true || other.done !== true) {
    const [mine, theirs] = [one.value as Stored | undefined, other.value as Stored | undefined];
    if (mine !== undefined && (theirs === undefined || mine._id < theirs._id)) {
      note(differences, differences.removed, labelOf(kind, mine));
      one = await before.next();
    } else if (theirs !== undefined && (mine === undefined || theirs._id < mine._id)) {
      note(differences, differences.added, labelOf(kind, theirs));
      other = await after.next();
    } else if (mine !== undefined && theirs !== undefined) {
      const fields = differingParts(kind, mine, theirs);
      if (fields.length > 0) note(differences, differences.changed, { ...labelOf(kind, theirs), fields });
      [one, other] = [await before.next(), await after.next()];
    }
  }
  const { added, changed, removed } = differences;
  return added.length + changed.length + removed.length === 0 ? null : differences;
};

/**
 * What differs between a sandbox and its parent. Raises `too_many_queries`, `forbidden` in a sandbox, `sandbox_not_found`, `sandbox_busy` and
 * `sandbox_refreshing`.
 */
export const compareWithParent = async (tenant: Tenant, name: string): Promise<SandboxDiff> => {
  const { entry } = await sandboxNamed(tenant, name);
  admit("use", entry.sandbox.status);
  const opened = await openWithState(entry._id);
  if (opened === null) throw new Fault("sandbox_not_found");
  const kinds: SandboxDiff["kinds"] = {};
  for (const kind of configurationKinds) {
    // Many comparisons of a large configuration at once must not take up the cluster.
    const differences = await withSlowReadSlot(tenant, (maxTimeMS) =>
      compareKind(tenant, opened.database, kind, maxTimeMS),
    );
    if (differences !== null) kinds[kind] = differences;
  }
  await refuseReplacedCopy(opened.database);
  return { sandbox_name: name, identical: Object.keys(kinds).length === 0, kinds };
};
