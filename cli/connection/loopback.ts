import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { Failure } from "../failure.ts";

const PATIENCE_MS = 10 * 60_000;

export interface Loopback {
  readonly redirectUri: string;
  /** The query of the first request to the redirect URI. @throws Failure if none comes within ten minutes */
  readonly callback: Promise<URLSearchParams>;
  close(): void;
}

const answer = (response: ServerResponse, status: number, sentence: string): void => {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "no-store",
    connection: "close",
  };
  const style =
    "font: 1.1rem/1.5 system-ui; max-width: 32rem; margin: 20vh auto; padding: 0 1rem; color-scheme: light dark";
  response
    .writeHead(status, headers)
    .end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Tenantry</title>
<body style="${style}"><p>${sentence}</p></body></html>`);
};

/** Listens on loopback only, for the redirect with the code (RFC 8252 §7.3). */
export const listen = async (): Promise<Loopback> => {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  server.on("request", (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || pathname !== "/callback") return answer(response, 404, "There is nothing here.");
    const refused = searchParams.has("error");
    answer(
      response,
      200,
      refused ? "You did not sign in. You can close this page." : "Back to your terminal: you can close this page.",
    );
    resolve(searchParams);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const late = setTimeout(
    () =>
      reject(new Failure("signedOut", "Nobody signed in within ten minutes.", { hint: "Begin anew: tenantry login" })),
    PATIENCE_MS,
  );
  // Awaited later; without this handler an early rejection would end the process.
  promise.catch(() => undefined);
  const address = server.address();
  return {
    redirectUri: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/callback`,
    callback: promise,
    close: () => {
      clearTimeout(late);
      server.close();
    },
  };
};
