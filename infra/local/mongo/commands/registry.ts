import { type CommandName, checkArguments } from "../arguments/commands.ts";
import type { Command } from "../execution/context.ts";
import { aggregate } from "./aggregate.ts";
import { bulkWrite } from "./bulk-write.ts";
import { collMod, create, drop, dropDatabase, renameCollection } from "./catalog.ts";
import { count, distinct } from "./count-distinct.ts";
import { insert, remove, update } from "./crud.ts";
import {
  buildInfo,
  collStats,
  connectionStatus,
  dbStats,
  getLog,
  getParameter,
  hello,
  hostInfo,
  ping,
  serverStatus,
  whatsMyUri,
} from "./diagnostics.ts";
import { explain } from "./explain.ts";
import { find, getMore, killCursors } from "./find.ts";
import { findAndModify } from "./find-and-modify.ts";
import { createIndexes, dropIndexes, listIndexes } from "./indexes.ts";
import { listCollections, listDatabases } from "./listing.ts";
import { checkSession } from "./session-arguments.ts";
import { abortTransaction, commitTransaction, endSessions } from "./sessions.ts";

export function commandsAt(address: string): ReadonlyMap<string, Command> {
  const greeting = hello(address);
  const commands: Readonly<Record<CommandName, Command>> = {
    abortTransaction,
    aggregate,
    buildInfo,
    buildinfo: buildInfo,
    bulkWrite,
    collMod,
    collStats,
    collstats: collStats,
    commitTransaction,
    connectionStatus,
    count,
    create,
    createIndexes,
    dbStats,
    dbstats: dbStats,
    delete: remove,
    distinct,
    drop,
    dropDatabase,
    dropIndexes,
    deleteIndexes: dropIndexes,
    endSessions,
    explain,
    find,
    findAndModify,
    findandmodify: findAndModify,
    getLog,
    getMore,
    getParameter,
    hello: greeting,
    hostInfo,
    insert,
    isMaster: greeting,
    ismaster: greeting,
    killCursors,
    listCollections,
    listDatabases,
    listIndexes,
    ping,
    refreshSessions: ping,
    renameCollection,
    serverStatus,
    update,
    whatsmyuri: whatsMyUri,
  };
  return new Map(Object.entries(commands).map(([name, run]) => [name, checked(run)]));
}

/** Checks the arguments before the command runs. */
const checked =
  (run: Command): Command =>
  (context) => {
    checkArguments(context.command);
    checkSession(context);
    return run(context);
  };
