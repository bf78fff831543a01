import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `cut`: the connection ends without an answer. */
export type VendorReply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: object | string }
  | "cut";

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** A server on this machine that answers as a vendor does. */
export const serveVendor = async (
  answer: (request: VendorRequest) => Promise<VendorReply> | VendorReply,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const reply = await answer({ method, path: url, headers, body: await bodyOf(request) });
    if (reply === "cut") {
      request.socket.destroy();
      return;
    }
    const { status, headers: given = {}, body } = reply;
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    response.writeHead(status, { ...(typeof body === "object" && { "content-type": "application/json" }), ...given });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
