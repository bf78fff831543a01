import type { CommandContext } from "../execution/context.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";

const invalid = (message: string): MongoFault => new MongoFault("InvalidOptions", message);

/** Checks that the session and transaction arguments of a command are consistent. */
export function checkSession({ command, transaction }: CommandContext): void {
  const name = command.keys[0] ?? "";
  const isStarting = command.get("startTransaction");
  const autocommit = command.get("autocommit");
  if (command.has("txnNumber") && !command.has("lsid"))
    throw invalid("Transaction number requires a session ID to also be specified");
  if (autocommit !== undefined && !command.has("txnNumber"))
    throw invalid("'autocommit' field requires a transaction number to also be specified");
  if (isStarting !== undefined && autocommit === undefined)
    throw invalid("'startTransaction' field requires 'autocommit' field to also be specified");
  if (autocommit === true) throw invalid("Specifying autocommit=true is not allowed.");
  if (isStarting === false) throw invalid("Specifying startTransaction=false is not allowed.");
  const concern = command.get("readConcern");
  const level = concern instanceof Doc ? concern.get("level") : undefined;
  if (transaction !== undefined) checkInTransaction(concern instanceof Doc && isStarting !== true, level);
  else if (autocommit === undefined && level === "snapshot") throw noSnapshot(name);
  if (concern instanceof Doc && concern.has("atClusterTime")) throw unsupported("a read at a cluster time");
}

function checkInTransaction(isLate: boolean, level: unknown): void {
  if (isLate) throw invalid("Only the first command in a transaction may specify a readConcern");
  if (level === "linearizable" || level === "available")
    throw invalid(
      "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
    );
}

const snapshots: ReadonlySet<string> = new Set(["find", "aggregate", "distinct"]);

/** Snapshot reads are supported only in transactions. */
const noSnapshot = (name: string): MongoFault =>
  snapshots.has(name)
    ? unsupported("the read concern snapshot outside of a transaction")
    : invalid(`Command ${name} does not support the read concern level snapshot outside of a transaction`);
