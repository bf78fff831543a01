import type { Command } from "../execution/context.ts";
import { flush, type Operating } from "../execution/context.ts";
import { MongoFault } from "../foundation/fault.ts";
import { now, timeIsUp } from "../foundation/pace.ts";
import { transient } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import { toInt64 } from "../values/numbers.ts";
import { isOk } from "../values/types.ts";

/** Who sent a command. */
export interface Caller {
  /** The connection is gone, and with it whoever waits for the answer. */
  isGone: boolean;
}

/** Whose command is done to its end, whatever becomes of the connection. */
export const patient: Caller = { isGone: false };

const beginAnew = new Set(["find", "count", "distinct", "aggregate", "explain"]);

/** Lets a command take turns. Its changes last before it is answered and before others are let in. */
export function perform(handler: Command, operating: Operating, caller: Caller): Doc | Promise<Doc> {
  const { engine, command, db, deadline, transaction } = operating;
  const durable = isDurable(command);
  return engine.turns.run({
    db,
    deadline,
    startsOver: beginAnew.has(command.keys[0] ?? "") && !writesOut(command),
    begin: () => handler(operating),
    leave: () => flush(operating, durable),
    finish(reply) {
      flush(operating, durable);
      return Doc.of([...reply.keys, "ok"], [...reply.values, isOk]);
    },
    obstacle() {
      if (caller.isGone) return new MongoFault("ClientDisconnect", "the client has disconnected");
      if (now() > deadline) return timeIsUp();
      return transaction === undefined || transaction.state === "open" ? undefined : noSuchTransaction(operating);
    },
  });
}

const noSuchTransaction = ({ command }: Operating): MongoFault =>
  new MongoFault(
    "NoSuchTransaction",
    `Given transaction number ${toInt64(command.get("txnNumber"))} does not match any in-progress transactions.`,
    transient,
  );

function writesOut(command: Doc): boolean {
  const stages = command.get("pipeline");
  const last = Array.isArray(stages) ? stages.at(-1) : undefined;
  return last instanceof Doc && (last.has("$out") || last.has("$merge"));
}

function isDurable(command: Doc): boolean {
  const concern = command.get("writeConcern");
  return concern instanceof Doc && concern.get("j") === true;
}
