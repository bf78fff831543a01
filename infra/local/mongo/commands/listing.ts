import { batchSizeOf, flag, optionalDoc } from "../arguments/reading.ts";
import type { Command } from "../execution/context.ts";
import { openList } from "../execution/cursors.ts";
import { evaluation } from "../execution/evaluation.ts";
import { compileFilter } from "../match/filter.ts";
import type { Collection } from "../storage/catalog.ts";
import { isView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { Binary, double, type Value } from "../values/types.ts";

export const listCollections: Command = (context) => {
  const { command, db, engine } = context;
  const matches = compileFilter(optionalDoc(command, "filter") ?? Doc.empty, evaluation(context, undefined));
  const collections = [...(engine.store.databases.get(db)?.collections.values() ?? [])].filter(
    ({ creator }) => creator === undefined,
  );
  const docs = collections.map(describe).filter(matches);
  const shown = flag(command, "nameOnly")
    ? docs.map((doc) => Doc.from({ name: doc.get("name"), type: doc.get("type") }))
    : docs;
  return openList(engine.cursors, shown, {
    namespace: `${db}.$cmd.listCollections`,
    batchSize: batchSizeOf(command),
    single: false,
    session: undefined,
    time: engine.clock(),
  });
};

function describe(collection: Collection): Doc {
  const view = isView(collection);
  return Doc.from({
    name: collection.name,
    type: view ? "view" : "collection",
    options: collection.options,
    info: view ? Doc.from({ readOnly: true }) : Doc.from({ readOnly: false, uuid: new Binary(4, collection.uuid) }),
    idIndex: view ? undefined : (collection.indexes[0]?.spec as Value),
  });
}

export const listDatabases: Command = (context) => {
  const { command, engine } = context;
  const matches = compileFilter(optionalDoc(command, "filter") ?? Doc.empty, evaluation(context, undefined));
  const filled = [...engine.store.databases.values()].filter(({ collections }) =>
    [...collections.values()].some(({ creator }) => creator === undefined),
  );
  const docs = filled
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, journal }) => Doc.from({ name, sizeOnDisk: BigInt(journal.size), empty: false }))
    .filter(matches);
  if (flag(command, "nameOnly")) return Doc.from({ databases: docs.map((doc) => Doc.from({ name: doc.get("name") })) });
  const total = docs.reduce((sum, doc) => sum + Number(doc.get("sizeOnDisk")), 0);
  return Doc.from({ databases: docs, totalSize: BigInt(total), totalSizeMb: double(Math.floor(total / 1048576)) });
};
