import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

const keyHeader = "x-local-gate-key";

/**
 * Precedes the front door. Until it is opened it answers 503 `starting`, except to requests with its key, which stays
 * in this process.
 */
export const startingGate = () => {
  const key = randomBytes(24).toString("base64url");
  let behind: RequestListener | undefined;
  let open = false;
  return {
    listener: ((request, response) => {
      if (behind !== undefined && (open || takeKey(request) === key)) behind(request, response);
      else refuse(response);
    }) satisfies RequestListener,
    /** Headers that admit a request before the opening. */
    key: { [keyHeader]: key } as const,
    /** Sets the server to pass requests to. */
    lead: (listener: RequestListener): void => {
      behind = listener;
    },
    open: (): void => {
      open = true;
    },
  };
};

/** Functions must not see the key. */
const takeKey = (request: IncomingMessage): string | undefined => {
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === keyHeader) return rawHeaders.splice(index, 2)[1];
  }
  return undefined;
};

const instance = randomBytes(6).toString("base64url");
let refused = 0;

/** In the shape of the platform's errors. */
const refuse = (response: ServerResponse): void => {
  const requestId = `${instance}${(++refused).toString(36).padStart(7, "0")}=`;
  const body = { detail: "The platform is starting; try again shortly.", code: "starting", request_id: requestId };
  response.writeHead(503, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "retry-after": "1",
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
  });
  response.end(JSON.stringify(body));
};
