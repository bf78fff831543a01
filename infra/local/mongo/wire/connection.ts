import type { Socket } from "node:net";
import { type Commands, execute, failure } from "../commands/dispatch.ts";
import { type Caller, uninterruptible } from "../commands/run-command.ts";
import type { Engine } from "../execution/engine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { readInt32 } from "../values/reader.ts";
import { headerSize, maxMessageSize, type Request, readRequest, writeReply } from "./message.ts";

/** Serves one client. Replies are sent as commands end; each names its request. */
export function serve(engine: Engine, commands: Commands, socket: Socket): void {
  let pending: Buffer[] = [];
  let pendingSize = 0;
  let needed = headerSize;
  /** A running request without a reply. Its sender cannot wait for it, so later requests do. */
  let behind: Promise<void> | undefined;
  const caller: Caller = { isGone: false };
  engine.connections++;
  socket.setNoDelay(true);
  socket.on("data", (chunk: Buffer) => {
    if (pendingSize > 0) {
      pending.push(chunk);
      pendingSize += chunk.length;
      if (pendingSize < needed) return;
      take(Buffer.concat(pending, pendingSize));
    } else take(chunk);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    engine.connections--;
    caller.isGone = true;
  });

  function take(buf: Buffer): void {
    let at = 0;
    needed = headerSize;
    while (buf.length - at >= headerSize) {
      const length = readInt32(buf, at);
      if (length < headerSize || length > maxMessageSize) {
        socket.destroy();
        return;
      }
      if (buf.length - at < length) {
        needed = length;
        break;
      }
      handle(buf, at, at + length);
      at += length;
    }
    pending = at < buf.length ? [at === 0 ? buf : buf.subarray(at)] : [];
    pendingSize = buf.length - at;
  }

  function handle(buf: Buffer, start: number, end: number): void {
    let request: Request;
    try {
      request = readRequest(buf, start, end);
    } catch (error) {
      const refused = { id: readInt32(buf, start + 4), kind: "msg", command: Doc.empty, silent: false } as const;
      send(refused, failure(error instanceof RangeError ? new MongoFault("InvalidBSON", "Invalid BSON") : error));
      return;
    }
    const running = behind === undefined ? answer(request) : behind.then(() => answer(request));
    if (running !== undefined && request.silent) behind = running;
  }

  function answer(request: Request): Promise<void> | undefined {
    const reply = execute(engine, commands, request.command, request.silent ? uninterruptible : caller);
    if (reply instanceof Promise) return reply.then((doc) => send(request, doc));
    send(request, reply);
    return undefined;
  }

  function send(request: Request, reply: Doc): void {
    if (request.silent || socket.destroyed) return;
    socket.write(writeReply(request, reply));
  }
}
