import { createServer, type Server, type Socket } from "node:net";
import { commandsAt } from "./commands/registry.ts";
import { cursorTimeout, newCursors } from "./execution/cursors.ts";
import { type Engine, sessionTimeout, transactionTimeout } from "./execution/engine.ts";
import { Scheduler } from "./execution/scheduler.ts";
import { installExpressions } from "./expressions/registry.ts";
import { installStages } from "./stages/registry.ts";
import { lockDirectory } from "./storage/lock.ts";
import { closeStore, compactStore, openStore, syncStore } from "./storage/store.ts";
import { abort, newTimeline } from "./storage/transactions.ts";
import { serve } from "./wire/connection.ts";
import { expire } from "./writes/expiry.ts";

export interface ServerOptions {
  readonly directory: string;
  readonly port: number;
  readonly log: (line: string) => void;
  /** Called when data cannot be written. Acknowledged writes are safe; no further ones will be. */
  readonly onFailure?: (error: unknown) => void;
  /** Milliseconds since the epoch; tests set it. */
  readonly clock?: () => number;
}

export interface RunningServer {
  readonly uri: string;
  readonly engine: Engine;
  /** Expires documents, transactions, cursors and sessions now. Otherwise timers do it. */
  runMaintenance(): void;
  close(): Promise<void>;
}

const syncEvery = 100;
const maintenanceEvery = 1_000;
const expireEvery = 60_000;

export async function startServer({
  directory,
  port,
  log,
  clock = Date.now,
  onFailure = () => undefined,
}: ServerOptions): Promise<RunningServer> {
  installExpressions();
  installStages();
  const unlock = lockDirectory(directory);
  let engine: Engine;
  try {
    const store = openStore(directory, log, onFailure);
    engine = {
      store,
      clock,
      timeline: newTimeline(store),
      sessions: new Map(),
      cursors: newCursors(),
      scheduler: new Scheduler(),
      started: clock(),
      connections: 0,
      opcounters: { insert: 0, query: 0, update: 0, delete: 0, getmore: 0, command: 0 },
    };
  } catch (error) {
    unlock();
    throw error;
  }
  const sockets = new Set<Socket>();
  const server = createServer();
  const address = `127.0.0.1:${await listen(server, port)}`;
  const commands = commandsAt(address);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(engine, commands, socket);
  });
  const timers = [
    setInterval(() => syncStore(engine.store), syncEvery),
    setInterval(() => {
      runMaintenance(engine);
      compactStore(engine.store);
    }, maintenanceEvery),
    setInterval(() => expire(engine), expireEvery),
  ];
  for (const timer of timers) timer.unref();
  return {
    uri: `mongodb://${address}/?directConnection=true`,
    engine,
    runMaintenance() {
      runMaintenance(engine);
      expire(engine);
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      engine.scheduler.close();
      await closed;
      closeStore(engine.store);
      unlock();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function runMaintenance(engine: Engine): void {
  const now = engine.clock();
  for (const [key, session] of engine.sessions) {
    const { transaction } = session;
    if (transaction?.state === "open" && now - transaction.lastUsed > transactionTimeout)
      abort(engine.timeline, transaction);
    if (now - session.lastUsed > sessionTimeout && transaction?.state !== "open") engine.sessions.delete(key);
  }
  for (const [id, cursor] of engine.cursors.open)
    if (now - cursor.lastUsed > cursorTimeout) engine.cursors.open.delete(id);
}
