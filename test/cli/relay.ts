import { platformUrl } from "../platform.ts";
import { serve } from "./serve.ts";

export interface Relayed {
  readonly path: string;
  readonly request: string;
  readonly reply: string;
}

/** A reply in place of the platform's. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type OnRequest = (request: { readonly method: string; readonly path: string }) => Promise<Answer | undefined>;

/** A proxy to the platform, which records requests and may change replies, or answer itself. */
export const relay = (
  onReply: (relayed: Relayed) => string | undefined,
  onRequest: OnRequest = () => Promise.resolve(undefined),
): Promise<string> =>
  serve(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString();
    const { method = "GET", url: path = "/", headers } = request;
    const answer = await onRequest({ method, path });
    if (answer !== undefined) {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      return void response.end(JSON.stringify(answer.body));
    }
    const reply = await fetch(`${platformUrl}${path}`, {
      method,
      headers: {
        ...(headers["content-type"] && { "content-type": headers["content-type"] }),
        ...(headers.authorization && { authorization: headers.authorization }),
      },
      ...(body && { body }),
    });
    const text = await reply.text();
    const other = onReply({ path, request: body, reply: text });
    const type = reply.headers.get("content-type") ?? "text/plain";
    response.writeHead(other === undefined ? reply.status : 200, { "content-type": type }).end(other ?? text);
  });
