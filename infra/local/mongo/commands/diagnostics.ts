import { hostname } from "node:os";
import { nameOf } from "../arguments/reading.ts";
import { findCollection } from "../execution/collections.ts";
import type { Command, CommandContext } from "../execution/context.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { type Collection, sizesOf } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";
import { maxDocumentSize } from "../values/limits.ts";
import { toInteger } from "../values/numbers.ts";
import { double, UtcDate, type Value } from "../values/types.ts";

/** The version of MongoDB that this server follows. Its wire version is 25. */
const version = "8.0.0";
const maxMessageSize = 48_000_000;
const replicaSet = "embedded";

export const hello =
  (address: string): Command =>
  ({ command, engine }) => {
    const legacy = command.keys[0] !== "hello";
    return Doc.from({
      helloOk: true,
      [legacy ? "ismaster" : "isWritablePrimary"]: true,
      setName: replicaSet,
      setVersion: 1,
      secondary: false,
      hosts: [address],
      primary: address,
      me: address,
      maxBsonObjectSize: maxDocumentSize,
      maxMessageSizeBytes: maxMessageSize,
      maxWriteBatchSize: 100_000,
      localTime: new UtcDate(engine.clock()),
      logicalSessionTimeoutMinutes: 30,
      connectionId: engine.connections,
      minWireVersion: 0,
      maxWireVersion: 25,
      readOnly: false,
    });
  };

export const ping: Command = () => Doc.empty;

export const buildInfo: Command = () =>
  Doc.from({
    version,
    gitVersion: "embedded",
    modules: ["embedded"],
    javascriptEngine: "none",
    versionArray: [8, 0, 0, 0],
    bits: 64,
    debug: false,
    maxBsonObjectSize: maxDocumentSize,
    storageEngines: ["embedded"],
  });

export const hostInfo: Command = ({ engine }) =>
  Doc.from({
    system: Doc.from({ currentTime: new UtcDate(engine.clock()), hostname: hostname(), cpuAddrSize: 64 }),
    os: Doc.from({ type: process.platform }),
    extra: Doc.empty,
  });

export const getLog: Command = () => Doc.from({ totalLinesWritten: 0, log: [] });
export const connectionStatus: Command = () =>
  Doc.from({ authInfo: Doc.from({ authenticatedUsers: [], authenticatedUserRoles: [] }) });
export const whatsMyUri: Command = () => Doc.from({ you: "127.0.0.1:0" });

export const getParameter: Command = ({ command }) => {
  const known: Record<string, Value> = {
    featureCompatibilityVersion: Doc.from({ version: "8.0" }),
    transactionLifetimeLimitSeconds: 60,
    localLogicalSessionTimeoutMinutes: 30,
  };
  if (command.values[0] === "*") return Doc.from(known);
  const asked = command.keys.slice(1).filter((key) => Object.hasOwn(known, key));
  if (asked.length === 0) throw new MongoFault("InvalidOptions", "no option found to get");
  return Doc.from(Object.fromEntries(asked.map((key) => [key, known[key]])));
};

export const serverStatus: Command = ({ engine }) => {
  const { rss } = process.memoryUsage();
  const uptime = (engine.clock() - engine.started) / 1000;
  return Doc.from({
    host: hostname(),
    version,
    process: "embedded",
    pid: BigInt(process.pid),
    uptime: double(Math.floor(uptime)),
    localTime: new UtcDate(engine.clock()),
    connections: Doc.from({
      current: engine.connections,
      available: 10_000 - engine.connections,
      totalCreated: engine.connections,
    }),
    opcounters: Doc.from(
      Object.fromEntries(Object.entries(engine.opcounters).map(([name, count]) => [name, BigInt(count)])),
    ),
    mem: Doc.from({
      bits: 64,
      resident: Math.round(rss / 1048576),
      virtual: Math.round(rss / 1048576),
      supported: true,
    }),
    transactions: Doc.from({ currentOpen: BigInt(engine.timeline.open.size) }),
    metrics: Doc.from({ cursor: Doc.from({ open: Doc.from({ total: BigInt(engine.cursors.open.size) }) }) }),
    storageEngine: Doc.from({ name: "embedded", persistent: true, supportsCommittedReads: true }),
  });
};

function checkScale(command: Doc): void {
  if ((toInteger(command.get("scale")) ?? 1) !== 1) throw unsupported("the option scale");
}

export const collStats: Command = (context) => {
  const { command, db } = context;
  checkScale(command);
  const name = nameOf(command);
  const collection = findCollection(context, db, name);
  const empty = { count: 0, size: 0, nindexes: 0 };
  return Doc.from({
    ns: `${db}.${name}`,
    ...(collection === undefined ? empty : sizesOf(collection)),
    storageSize: BigInt(collection?.bytes ?? 0),
    totalIndexSize: 0,
    capped: false,
  });
};

export const dbStats: Command = ({ command, db, engine }: CommandContext) => {
  checkScale(command);
  const database = engine.store.databases.get(db);
  const collections = [...(database?.collections.values() ?? [])].filter(({ creator }) => creator === undefined);
  const sum = (of: (collection: Collection) => number): number =>
    collections.reduce((total, collection) => total + of(collection), 0);
  const objects = sum(({ records }) => records.size);
  const size = sum(({ bytes }) => bytes);
  return Doc.from({
    db,
    collections: BigInt(collections.filter(({ options }) => !options.has("viewOn")).length),
    views: BigInt(collections.filter(({ options }) => options.has("viewOn")).length),
    objects: BigInt(objects),
    avgObjSize: double(objects === 0 ? 0 : size / objects),
    dataSize: double(size),
    storageSize: double(database?.journal.size ?? 0),
    indexes: BigInt(sum(({ indexes }) => indexes.length)),
    indexSize: double(0),
    totalSize: double(database?.journal.size ?? 0),
    scaleFactor: 1n,
  });
};
