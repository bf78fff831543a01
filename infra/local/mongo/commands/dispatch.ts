import type { Command, CommandContext } from "../execution/context.ts";
import type { Engine, Session } from "../execution/engine.ts";
import { now } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { noDeadline } from "../query/execute.ts";
import { abort } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import { toInt64, toInteger } from "../values/numbers.ts";
import type { Value } from "../values/types.ts";
import { type Caller, runCommand, uninterruptible } from "./run-command.ts";
import { sessionOf, transactionOf } from "./sessions.ts";

export type Commands = ReadonlyMap<string, Command>;

const inTransactions = new Set([
  "find",
  "getMore",
  "insert",
  "update",
  "delete",
  "findAndModify",
  "findandmodify",
  "aggregate",
  "distinct",
  "bulkWrite",
  "create",
  "killCursors",
  "commitTransaction",
  "abortTransaction",
]);
const retryable = new Set(["insert", "update", "delete", "findAndModify", "findandmodify", "bulkWrite"]);
const uncounted = new Set(["find", "insert", "update", "delete", "getMore"]);

/** Answers one command; never throws. A command that ends in its first slice is answered synchronously. */
export function execute(engine: Engine, commands: Commands, command: Doc, caller: Caller): Doc | Promise<Doc> {
  try {
    const name = command.keys[0] ?? "";
    const handler = commands.get(name);
    if (handler === undefined) throw new MongoFault("CommandNotFound", `no such command: '${name}'`);
    if (!uncounted.has(name)) engine.opcounters.command++;
    const db = command.get("$db");
    if (typeof db !== "string") throw new MongoFault("Location40571", "OP_MSG requests require a $db argument");
    const session = sessionOf(engine, command.get("lsid"));
    if (session !== undefined && command.get("autocommit") === false) {
      const call = { handler, name, session, context: contextFor(engine, command, db, session), caller };
      return runSerially(call);
    }
    if (session !== undefined && retryable.has(name)) {
      const number = toInt64(command.get("txnNumber"));
      // After a lost connection the retry gets the reply of this attempt, so it runs to its end.
      if (number !== undefined)
        return answerOnce(session, number, () =>
          runCommand(handler, contextFor(engine, command, db, session), uninterruptible),
        );
    }
    const reply = runCommand(handler, contextFor(engine, command, db, session), caller);
    return reply instanceof Promise ? reply.catch(failure) : reply;
  } catch (error) {
    return failure(error);
  }
}

function contextFor(engine: Engine, command: Doc, db: string, session: Session | undefined): CommandContext {
  const limit = toInteger(command.get("maxTimeMS"));
  const deadline = limit === undefined || limit <= 0 ? noDeadline : now() + limit;
  return { engine, command, db, session, deadline, now: engine.clock(), transaction: undefined, changes: new Map() };
}

/** A retried write gets the reply of the first attempt, or waits for it. */
function answerOnce(session: Session, number: bigint, run: () => Doc | Promise<Doc>): Doc | Promise<Doc> {
  const known = session.answers.get(number);
  if (known !== undefined) return known;
  if (number < session.transactionNumber)
    return failure(
      new MongoFault(
        "TransactionTooOld",
        `Retryable write with txnNumber ${number} is prohibited on session because a newer one has already started`,
      ),
    );
  if (number > session.transactionNumber) {
    session.transactionNumber = number;
    session.answers.clear();
  }
  const keep = (reply: Doc): Doc => {
    session.answers.set(number, reply);
    return reply;
  };
  const forget = (error: unknown): Doc => {
    session.answers.delete(number);
    return failure(error);
  };
  try {
    const reply = run();
    if (!(reply instanceof Promise)) return keep(reply);
    const answer = reply.then(keep, forget);
    session.answers.set(number, answer);
    return answer;
  } catch (error) {
    return forget(error);
  }
}

interface Call {
  readonly handler: Command;
  readonly name: string;
  readonly context: CommandContext;
  readonly session: Session;
  readonly caller: Caller;
}

/** The commands of a transaction run one after the other, even if they were sent concurrently. */
function runSerially(call: Call): Doc | Promise<Doc> {
  const { session } = call;
  if (session.running !== undefined) return session.running.then(() => runSerially(call));
  let reply: Doc | Promise<Doc>;
  try {
    reply = inTransaction(call);
  } catch (error) {
    return failure(error);
  }
  if (!(reply instanceof Promise)) return reply;
  const running = reply.finally(() => {
    session.running = undefined;
  });
  session.running = running;
  return running;
}

function inTransaction({ handler, name, context, session, caller }: Call): Doc | Promise<Doc> {
  const { engine, command } = context;
  if (!inTransactions.has(name))
    throw new MongoFault("OperationNotSupportedInTransaction", `Cannot run '${name}' in a multi-document transaction.`);
  if (name === "commitTransaction" || name === "abortTransaction") {
    const ending = runCommand(handler, context, uninterruptible);
    return ending instanceof Promise ? ending.catch(failure) : ending;
  }
  const transaction = transactionOf(engine, session, command);
  // Any error ends a transaction.
  const failed = (error: unknown): Doc => {
    abort(engine.timeline, transaction);
    return failure(error);
  };
  const succeeded = (reply: Doc): Doc => {
    if (transaction.state === "open" && reply.has("writeErrors")) abort(engine.timeline, transaction);
    return reply;
  };
  try {
    const reply = runCommand(handler, { ...context, transaction }, caller);
    return reply instanceof Promise ? reply.then(succeeded, failed) : succeeded(reply);
  } catch (error) {
    return failed(error);
  }
}

export function failure(error: unknown): Doc {
  const fault =
    error instanceof MongoFault
      ? error
      : error instanceof RangeError
        ? // The call stack is exhausted, or a string exceeds the maximum length of JavaScript.
          new MongoFault("Overflow", "A value is nested too deeply or has grown too long for the embedded database")
        : new MongoFault(
            "InternalError",
            error instanceof Error ? `Internal error: ${error.stack ?? error.message}` : "Internal error",
          );
  const fields: Record<string, Value> = { ok: 0, errmsg: fault.message, code: fault.code, codeName: fault.codeName };
  if (fault.labels.length > 0) fields.errorLabels = [...fault.labels];
  return Doc.from(fields);
}
