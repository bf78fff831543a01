import { type Fields, required } from "./fields.ts";
import { anything, arrayOf, bool, collection, number, object, shape, uuid } from "./types.ts";

const sessions = arrayOf(shape({ id: required(uuid), uid: anything, txnNumber: anything, txnUUID: anything }));

const collStats: Fields = { scale: number, verbose: anything, waitForLock: anything, freeStorage: anything };
const dbStats: Fields = { scale: number, freeStorage: number };

/** The arguments of the commands that report on the server, and of those that end transactions and sessions. */
export const serverArguments = {
  abortTransaction: { abortTransaction: anything, recoveryToken: object },
  commitTransaction: { commitTransaction: anything, recoveryToken: object },
  collStats: { collStats: required(collection), ...collStats },
  collstats: { collstats: required(collection), ...collStats },
  connectionStatus: { connectionStatus: anything, showPrivileges: bool },
  dbStats: { dbStats: anything, ...dbStats },
  dbstats: { dbstats: anything, ...dbStats },
  endSessions: { endSessions: required(sessions) },
  refreshSessions: { refreshSessions: required(sessions) },
} as const satisfies Readonly<Record<string, Fields>>;
