import { type Engine, flush, type Operating } from "../engine.ts";
import { MongoFault } from "../fault.ts";
import { beginSlice, now } from "../pace.ts";
import { noDeadline } from "../query/execute.ts";
import type { Session } from "../sessions.ts";
import { abort, ended, HeldByTransaction } from "../transactions.ts";
import { Doc } from "../values/document.ts";
import { toInt64, toInteger } from "../values/numbers.ts";
import { isOk, type Value } from "../values/types.ts";
import type { Command } from "./arguments.ts";
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

/** Answers one command; never throws. Commands that need no waiting are answered at once. */
export function execute(engine: Engine, commands: Commands, command: Doc): Doc | Promise<Doc> {
  try {
    const name = command.keys[0] ?? "";
    const handler = commands.get(name);
    if (handler === undefined) throw new MongoFault(59, `no such command: '${name}'`);
    if (!uncounted.has(name)) engine.opcounters.command++;
    const db = command.get("$db");
    if (typeof db !== "string") throw new MongoFault(40571, "OP_MSG requests require a $db argument");
    const session = sessionOf(engine, command.get("lsid"));
    if (session !== undefined && command.get("autocommit") === false)
      return inTransaction({ handler, name, session, operating: operatingFor(engine, command, db, session) });
    if (session !== undefined && retryable.has(name)) {
      const number = toInt64(command.get("txnNumber"));
      if (number !== undefined)
        return once(session, number, () => perform(handler, operatingFor(engine, command, db, session)));
    }
    const reply = perform(handler, operatingFor(engine, command, db, session));
    return reply instanceof Promise ? reply.catch(failure) : reply;
  } catch (error) {
    return failure(error);
  }
}

function operatingFor(engine: Engine, command: Doc, db: string, session: Session | undefined): Operating {
  const limit = toInteger(command.get("maxTimeMS"));
  const deadline = limit === undefined || limit <= 0 ? noDeadline : now() + limit;
  return { engine, command, db, session, deadline, now: engine.clock(), transaction: undefined, changes: new Map() };
}

/** Runs a command and makes its changes last before it is answered, also when it failed half-way. */
function perform(handler: Command, operating: Operating): Doc | Promise<Doc> {
  let reply: Doc | Promise<Doc>;
  beginSlice({ until: Number.POSITIVE_INFINITY, deadline: operating.deadline, isOver: false });
  try {
    reply = handler(operating);
  } catch (error) {
    flush(operating, isDurable(operating.command));
    if (error instanceof HeldByTransaction) return ended(error.holder).then(() => perform(handler, operating));
    throw error;
  }
  if (!(reply instanceof Promise)) return finished(operating, reply);
  return reply.then(
    (doc) => finished(operating, doc),
    (error: unknown) => {
      flush(operating, isDurable(operating.command));
      throw error;
    },
  );
}

function finished(operating: Operating, reply: Doc): Doc {
  if (operating.changes.size > 0) flush(operating, isDurable(operating.command));
  return Doc.of([...reply.keys, "ok"], [...reply.values, isOk]);
}

function isDurable(command: Doc): boolean {
  const concern = command.get("writeConcern");
  return concern instanceof Doc && concern.get("j") === true;
}

/** A retried write gets the answer that the first attempt got, or waits for it. */
function once(session: Session, number: bigint, run: () => Doc | Promise<Doc>): Doc | Promise<Doc> {
  const known = session.answers.get(number);
  if (known !== undefined) return known;
  if (number < session.transactionNumber)
    return failure(
      new MongoFault(
        225,
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
  readonly operating: Operating;
  readonly session: Session;
}

function inTransaction({ handler, name, operating, session }: Call): Doc | Promise<Doc> {
  const { engine, command } = operating;
  if (!inTransactions.has(name)) throw new MongoFault(263, `Cannot run '${name}' in a multi-document transaction.`);
  if (name === "commitTransaction" || name === "abortTransaction") return perform(handler, operating) as Doc;
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
    const reply = perform(handler, { ...operating, transaction });
    return reply instanceof Promise ? reply.then(succeeded, failed) : succeeded(reply);
  } catch (error) {
    return failed(error);
  }
}

export function failure(error: unknown): Doc {
  const fault =
    error instanceof MongoFault
      ? error
      : new MongoFault(
          1,
          error instanceof Error ? `Internal error: ${error.stack ?? error.message}` : "Internal error",
        );
  const fields: Record<string, Value> = { ok: 0, errmsg: fault.message, code: fault.code, codeName: fault.codeName };
  if (fault.labels.length > 0) fields.errorLabels = [...fault.labels];
  return Doc.from(fields);
}
