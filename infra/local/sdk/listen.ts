import type { Server } from "node:http";
import { Refusal } from "../refusal.ts";

/** Listens on loopback, and gives the port. A port in use is a refusal that says what to do. */
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

/** Stops accepting, gives running requests so many milliseconds, and resolves when the last connection has closed. */
export const closeServer = (server: Server, patience: number): Promise<void> =>
  new Promise((resolve) => {
    // Clients keep a connection alive whose request ends during the closing, so idle connections are closed repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const limit = setTimeout(() => server.closeAllConnections(), patience);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
