import type { Server } from "node:http";
import { Refusal } from "../refusal.ts";

/** Listens on loopback only and gives the port; a port in use is a refusal that says what to do. */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE"
          ? `Port ${port} is already in use; stop what uses it, or choose another one with PORT=… or --port.`
          : `Port ${port} cannot be used: ${error.message}.`;
      reject(new Refusal(reason));
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });

/** Stops accepting, lets the requests that run finish within so many milliseconds, and ends when the last connection has gone. */
export const closeServer = (server: Server, patience: number): Promise<void> =>
  new Promise((resolve) => {
    // A connection whose request ends during the closing is kept alive by the client: it has to be told again.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const limit = setTimeout(() => server.closeAllConnections(), patience);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
