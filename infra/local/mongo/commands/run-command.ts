import { type Command, type CommandContext, flush } from "../execution/context.ts";
import { now, timeLimitExceeded } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { transient } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import { toInt64 } from "../values/numbers.ts";
import { okReply } from "../values/types.ts";

/** Who sent a command. */
export interface Caller {
  /** The connection is closed, so nobody waits for the reply. */
  isGone: boolean;
}

/** The caller of a command that runs to its end even if the connection closes. */
export const uninterruptible: Caller = { isGone: false };

const restartableCommands = new Set(["find", "count", "distinct", "aggregate", "explain"]);

/** Runs a command in the scheduler. Its changes are in the journals before it is answered and before others run. */
export function runCommand(handler: Command, context: CommandContext, caller: Caller): Doc | Promise<Doc> {
  const { engine, command, db, deadline, transaction } = context;
  const durable = isDurable(command);
  return engine.scheduler.run({
    db,
    deadline,
    isRestartable: restartableCommands.has(command.keys[0] ?? "") && !endsInWrite(command),
    begin: () => handler(context),
    beforeYield: () => flush(context, durable),
    finish(reply) {
      flush(context, durable);
      return Doc.of([...reply.keys, "ok"], [...reply.values, okReply]);
    },
    reasonToStop() {
      if (caller.isGone) return new MongoFault("ClientDisconnect", "the client has disconnected");
      if (now() > deadline) return timeLimitExceeded();
      return transaction === undefined || transaction.state === "open" ? undefined : noSuchTransaction(context);
    },
  });
}

const noSuchTransaction = ({ command }: CommandContext): MongoFault =>
  new MongoFault(
    "NoSuchTransaction",
    `Given transaction number ${toInt64(command.get("txnNumber"))} does not match any in-progress transactions.`,
    transient,
  );

function endsInWrite(command: Doc): boolean {
  const stages = command.get("pipeline");
  const last = Array.isArray(stages) ? stages.at(-1) : undefined;
  return last instanceof Doc && (last.has("$out") || last.has("$merge"));
}

function isDurable(command: Doc): boolean {
  const concern = command.get("writeConcern");
  return concern instanceof Doc && concern.get("j") === true;
}
