import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Keyring } from "../iam/credentials.ts";
import type { Authority } from "../iam/service.ts";
import { verifySignature } from "../iam/signature.ts";
import type { SdkAnswer, SdkEndpoint } from "../service.ts";
import { ServiceError } from "./call.ts";
import { closeServer, listen } from "./listen.ts";
import { xmlError } from "./xml.ts";

const largestBody = 8 * 1024 * 1024;

interface SdkServerOptions {
  readonly keys: Keyring;
  readonly authority: Authority;
  /** Runs before a service handles a request. What it raises is the reply. */
  readonly beforeCall?: BeforeCall;
}

/** For tests of slow and failing services; `service` is the signing name. */
export type BeforeCall = (service: string) => Promise<void> | void;

/**
 * One endpoint for all services of the SDK. It verifies signatures, and checks permissions before a service handles the
 * request.
 */
export const sdkServer = async (options: SdkServerOptions) => {
  const endpoints = new Map<string, SdkEndpoint>();
  // Longer than clients keep idle connections, so that none is closed while a client sends on it.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    void answer(request, response, endpoints, options);
  });
  const port = await listen(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    add: (endpoint: SdkEndpoint): void => void endpoints.set(endpoint.signingName, endpoint),
    stop: () => closeServer(server, 100),
  };
};

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  endpoints: ReadonlyMap<string, SdkEndpoint>,
  { keys, authority, beforeCall }: SdkServerOptions,
): Promise<void> => {
  const requestId = randomUUID();
  // Errors take the shape of the service in the signature, even if the signature is wrong or in a presigned URL.
  const meant =
    /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? "")?.[1] ??
    /[?&]X-Amz-Credential=[^&]+?%2F\d+%2F[^&]+?%2F([^&]+?)%2F/.exec(request.url ?? "")?.[1] ??
    "";
  let reply: SdkAnswer;
  try {
    const body = await bodyOf(request);
    const headers = headersOf(request);
    const { method = "GET", url: target = "/" } = request;
    const { credentials, service } = verifySignature({ method, target, headers, body }, keys);
    const endpoint = endpoints.get(service);
    if (endpoint === undefined) {
      throw new ServiceError("UnknownOperationException", `The local platform has no service ${service}.`, 404);
    }
    await beforeCall?.(service);
    const [path = "/", query = ""] = target.split("?", 2);
    reply = await endpoint.answer({
      caller: credentials.principal,
      method,
      segments: path.split("/").slice(1).map(decodeURIComponent),
      query: new URLSearchParams(query),
      headers,
      get body() {
        return body.toString("utf8");
      },
      bytes: body,
      operation: headers["x-amz-target"]?.split(".").at(-1) ?? "",
      authorize: (action, resource, context) => authority.authorize(credentials.principal, action, resource, context),
    });
  } catch (error) {
    reply = errorAnswer(error, endpoints.get(meant)?.protocol ?? "json", requestId);
  }
  response.writeHead(reply.status, { "x-amzn-requestid": requestId, ...reply.headers });
  response.end(reply.body);
};

/** An error in the shape of the service's protocol. Unexpected errors are a 500. */
const errorAnswer = (error: unknown, protocol: SdkEndpoint["protocol"], requestId: string): SdkAnswer => {
  const known =
    error instanceof ServiceError
      ? error
      : new ServiceError("InternalFailure", error instanceof Error ? error.message : String(error), 500);
  if (protocol === "rest-xml") return xmlError(known, requestId);
  if (protocol === "rest-json") {
    return {
      status: known.status,
      headers: { "content-type": "application/json", "x-amzn-errortype": known.code },
      body: JSON.stringify({ Type: known.status >= 500 ? "Service" : "User", message: known.message }),
    };
  }
  return {
    // The JSON protocols answer all client errors with 400.
    status: known.status >= 500 ? 500 : 400,
    headers: { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": known.code },
    body: JSON.stringify({ __type: known.code, message: known.message }),
  };
};

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(request.headersDistinct).map(([name, values]) => [name, (values ?? []).join(",")]));

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: Buffer = chunk;
    size += piece.length;
    if (size > largestBody) throw new ServiceError("RequestEntityTooLargeException", "The request is too large.", 413);
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
};
