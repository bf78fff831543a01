import { elapsedMillis, now } from "#shared/foundation/clock";
import { base } from "#shared/tenant/tenant";
import { type BaseName, type Migration, thisRelease } from "./ledger/ledger.ts";
import { baseSteps } from "./steps/steps.ts";

const missing = async (): Promise<Migration<BaseName>[]> => {
  const { migrations } = await base();
  const entries = await migrations.find({}, { projection: { _id: 1 } }).toArray();
  const done = new Set(entries.map(({ _id }) => _id));
  return thisRelease().base.filter(({ id }) => !done.has(id));
};

/** The ids of the missing migrations of the base database. */
export const previewBase = async (): Promise<string[]> => (await missing()).map(({ id }) => id);

/** Runs the missing migrations of the base database, and gives their ids. */
export const migrateBase = async (): Promise<string[]> => {
  const { migrations } = await base();
  const completed: string[] = [];
  for (const { id, name } of await missing()) {
    const start = elapsedMillis();
    const result = await (await baseSteps[name]()).run(undefined);
    const duration = Math.round(elapsedMillis() - start);
    await migrations.updateOne({ _id: id }, { $set: { at: now(), duration, result } }, { upsert: true });
    completed.push(id);
  }
  return completed;
};
