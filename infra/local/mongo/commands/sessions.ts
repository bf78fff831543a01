import type { Command } from "../execution/context.ts";
import { type Engine, newSession, type Session } from "../execution/engine.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { Transaction } from "../storage/transaction-views.ts";
import { abort, begin, commit, transient } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import { encodeKey } from "../values/key.ts";
import { toInt64 } from "../values/numbers.ts";
import type { Maybe } from "../values/types.ts";

export function sessionOf(engine: Engine, lsid: Maybe): Session | undefined {
  if (!(lsid instanceof Doc)) return undefined;
  const key = encodeKey(lsid.get("id"));
  let session = engine.sessions.get(key);
  if (session === undefined) {
    session = newSession(engine.clock());
    engine.sessions.set(key, session);
  }
  session.lastUsed = engine.clock();
  return session;
}

const noSuchTransaction = (number: bigint): MongoFault =>
  new MongoFault(
    "NoSuchTransaction",
    `Given transaction number ${number} does not match any in-progress transactions.`,
    transient,
  );

/** The transaction of a command. Its first command begins it. */
export function transactionOf(engine: Engine, session: Session, command: Doc): Transaction {
  const number = toInt64(command.get("txnNumber"));
  if (number === undefined)
    throw new MongoFault("InvalidOptions", "'autocommit' field requires a transaction number to also be specified");
  if (command.get("startTransaction") === true) {
    if (number < session.transactionNumber)
      throw new MongoFault(
        "TransactionTooOld",
        `Cannot start transaction ${number} on session because a newer transaction ${session.transactionNumber} has already started`,
      );
    if (session.transaction?.state === "open") {
      if (number === session.transactionNumber)
        throw new MongoFault(
          "ConflictingOperationInProgress",
          `a transaction with number ${number} is already in progress`,
        );
      abort(engine.timeline, session.transaction);
    }
    session.transactionNumber = number;
    session.transaction = begin(engine.timeline, engine.clock());
    return session.transaction;
  }
  if (number !== session.transactionNumber || session.transaction?.state !== "open") {
    if (session.committed === number)
      throw new MongoFault("TransactionCommitted", `Transaction ${number} has been committed.`);
    throw noSuchTransaction(number);
  }
  session.transaction.lastUsed = engine.clock();
  return session.transaction;
}

export const commitTransaction: Command = ({ engine, session, command }) => {
  const number = toInt64(command.get("txnNumber"));
  if (session === undefined || number === undefined)
    throw new MongoFault("NoSuchTransaction", "Transaction number is required");
  if (session.committed === number) return Doc.empty;
  if (number !== session.transactionNumber || session.transaction?.state !== "open") throw noSuchTransaction(number);
  const concern = command.get("writeConcern");
  commit(engine.timeline, session.transaction, concern instanceof Doc && concern.get("j") === true);
  session.committed = number;
  session.transaction = undefined;
  return Doc.empty;
};

export const abortTransaction: Command = ({ engine, session, command }) => {
  const number = toInt64(command.get("txnNumber"));
  if (session === undefined || number === undefined)
    throw new MongoFault("NoSuchTransaction", "Transaction number is required");
  if (session.committed === number)
    throw new MongoFault("TransactionCommitted", `Transaction ${number} has been committed.`);
  if (number !== session.transactionNumber || session.transaction?.state !== "open") throw noSuchTransaction(number);
  abort(engine.timeline, session.transaction);
  session.transaction = undefined;
  return Doc.empty;
};

export const endSessions: Command = ({ engine, command }) => {
  const list = command.values[0];
  for (const lsid of Array.isArray(list) ? list : []) {
    if (!(lsid instanceof Doc)) continue;
    const key = encodeKey(lsid.get("id"));
    const session = engine.sessions.get(key);
    if (session?.transaction !== undefined) abort(engine.timeline, session.transaction);
    engine.sessions.delete(key);
  }
  return Doc.empty;
};
