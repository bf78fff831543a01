import { Agent, request } from "node:http";

export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export interface Answer {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly milliseconds: number;
  readonly text: string;
}

export type Send = (call: Call) => Promise<Answer>;

const contentOf = ({ body, form }: Call): { text: string; type: string } => {
  if (form !== undefined)
    return { text: new URLSearchParams(form).toString(), type: "application/x-www-form-urlencoded" };
  return { text: typeof body === "string" ? body : JSON.stringify(body), type: "application/json" };
};

/** A client with its own connections. */
export const client = (url: string, maxSockets: number): Send => {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return (call) =>
    new Promise((resolve) => {
      const start = performance.now();
      const headers: Record<string, string> = {};
      if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`;
      const content = call.body === undefined && call.form === undefined ? undefined : contentOf(call);
      if (content !== undefined) {
        headers["content-type"] = content.type;
        headers["content-length"] = String(Buffer.byteLength(content.text));
      }
      const done = (status: number, text: string): void =>
        resolve({ status, text, milliseconds: performance.now() - start });
      const send = (): void => {
        const sent = request(`${url}${call.path}`, { agent, method: call.method, headers }, (reply) => {
          const chunks: Buffer[] = [];
          reply.on("data", (chunk: Buffer) => chunks.push(chunk));
          reply.on("end", () => done(reply.statusCode ?? 0, Buffer.concat(chunks).toString("utf8")));
          reply.on("error", (error) => done(0, error.message));
        });
        sent.on("error", (error) => {
          // The server closed an idle connection just as it was used again; no request was sent.
          if (sent.reusedSocket && "code" in error && error.code === "ECONNRESET") send();
          else done(0, error.message);
        });
        sent.end(content?.text);
      };
      send();
    });
};
