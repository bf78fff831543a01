import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";

/** A command that a client sends to the database. */
export interface Command {
  readonly name: string;
  readonly database: string;
  readonly collection: string;
  /** With the documents of its sequences. */
  readonly body: Document;
  /** The earlier commands of its transaction. */
  readonly transaction: readonly Command[];
}

/** `before`: the command is not executed. `after`: it is, and its client gets no reply. Nothing more passes then. */
export interface Hold {
  readonly when: "before" | "after";
  readonly is: (command: Command) => boolean;
}

export interface DatabaseProxy {
  readonly uri: string;
  /** Holds the connection of the first command that matches, once. Resolves when it is held. */
  hold(hold: Hold): Promise<Command>;
  stop(): Promise<void>;
}

const OP_MSG = 2013;

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg */
const bodyOf = (message: Buffer): Document => {
  let at = 21;
  const read = (): Document => {
    const end = at + message.readInt32LE(at);
    const document = BSON.deserialize(message.subarray(at, end));
    at = end;
    return document;
  };
  const body = read();
  // Drivers send no checksum.
  while (at < message.length) {
    const end = at + 1 + message.readInt32LE(at + 1);
    const name = message.toString("utf8", at + 5, message.indexOf(0, at + 5));
    at += 5 + name.length + 1;
    const documents: Document[] = [];
    while (at < end) documents.push(read());
    body[name] = documents;
  }
  return body;
};

interface Waiting extends Hold {
  readonly held: (command: Command) => void;
}

/** A proxy in front of a database, which holds connections at the commands that a test names. `observe` sees all. */
export const startDatabaseProxy = async (
  uri: string,
  observe: (command: Command) => void = () => undefined,
): Promise<DatabaseProxy> => {
  const target = new URL(uri);
  const holds: Waiting[] = [];
  const sockets = new Set<Socket>();
  const transactions = new Map<string, Command[]>();

  const commandOf = (message: Buffer): Command => {
    const body = bodyOf(message);
    const [name = "", collection] = Object.entries(body)[0] ?? [];
    const key =
      body.txnNumber === undefined || body.autocommit !== false
        ? undefined
        : `${body.lsid.id.toString("hex")} ${body.txnNumber}`;
    const earlier = key === undefined ? [] : (transactions.get(key) ?? []);
    const command = { name, database: body.$db, collection: String(collection), body, transaction: [...earlier] };
    if (key !== undefined) transactions.set(key, [...earlier, command]);
    return command;
  };

  const holdOf = (message: Buffer): { readonly hold: Waiting; readonly command: Command } | undefined => {
    if (message.readInt32LE(12) !== OP_MSG) return undefined;
    const command = commandOf(message);
    observe(command);
    const index = holds.findIndex(({ is }) => is(command));
    const [hold] = index < 0 ? [] : holds.splice(index, 1);
    return hold && { hold, command };
  };

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    let pending = Buffer.alloc(0);
    let isHeld = false;
    let onReply = (): void => undefined;
    client.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        if (isHeld) continue;
        const found = holdOf(message);
        isHeld = found !== undefined;
        if (found?.hold.when === "before") found.hold.held(found.command);
        else database.write(message);
        if (found?.hold.when === "after") onReply = () => found.hold.held(found.command);
      }
    });
    database.on("data", (chunk: Buffer) => {
      if (isHeld) onReply();
      else client.write(chunk);
    });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    uri: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    hold: (hold) => new Promise((held) => holds.push({ ...hold, held })),
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
