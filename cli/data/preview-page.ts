import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What the page shows. */
export interface Shown {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** What is to be corrected, or what the data do not have. */
  readonly remarks: readonly string[];
}

export interface PreviewPage {
  readonly url: string;
  show(preview: Shown): void;
  close(): void;
}

/**
 * The mail is in a frame without scripts, forms and links to follow, and its policy is the page's: nothing is loaded
 * from anywhere.
 */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "connect-src 'self'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const pageOf = (nonce: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Preview</title>
<style>
  body { font: 1rem/1.5 system-ui; margin: 0 auto; max-width: 60rem; padding: 1rem; color-scheme: light dark }
  iframe { width: 100%; height: 60vh; border: 1px solid #8888; background: #fff; color-scheme: light }
  pre { white-space: pre-wrap; border: 1px solid #8888; padding: 1rem } ul:empty { display: none } li { color: #c40 }
</style>
<h1 id="subject">…</h1><ul id="remarks" role="status"></ul>
<iframe id="html" title="The HTML part" sandbox=""></iframe>
<p><small>Images of other places are not loaded here, and links lead nowhere.</small></p>
<h2>Text</h2><pre id="text"></pre>
<script nonce="${nonce}">
  const part = (id) => document.getElementById(id);
  new EventSource("events").onmessage = ({ data }) => {
    const shown = JSON.parse(data);
    document.title = shown.subject || "Preview";
    part("subject").textContent = shown.subject || "(no subject)";
    part("remarks").replaceChildren(...shown.remarks.map((remark) =>
      Object.assign(document.createElement("li"), { textContent: remark })));
    part("html").srcdoc = shown.html;
    part("text").textContent = shown.text;
  };
</script></html>`;

const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { "content-type": "text/plain", "cache-control": "no-store" }).end();
};

/**
 * Serves previews on loopback, under a path that nobody can guess. Requests of other names and of other sites are
 * refused, so that no page in the same browser can read them (DNS rebinding).
 */
export const openPreviewPage = async (port: number): Promise<PreviewPage> => {
  const base = `/${randomBytes(16).toString("hex")}/`;
  const listeners = new Set<ServerResponse>();
  let last: Shown | undefined;
  let host = "";

  const isForeign = ({ headers }: IncomingMessage): boolean =>
    headers.host !== host ||
    (headers.origin !== undefined && headers.origin !== `http://${host}`) ||
    (headers["sec-fetch-site"] !== undefined && !["same-origin", "none"].includes(String(headers["sec-fetch-site"])));

  const send = (response: ServerResponse, shown: Shown): void => {
    response.write(`data: ${JSON.stringify(shown)}\n\n`);
  };

  const server = createServer((request, response) => {
    if (isForeign(request)) return refuse(response, 403);
    if (request.method !== "GET") return refuse(response, 405);
    const common = {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    };
    if (request.url === base) {
      const nonce = randomBytes(16).toString("base64");
      const headers = {
        ...common,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policyOf(nonce),
      };
      response.writeHead(200, headers).end(pageOf(nonce));
    } else if (request.url === `${base}events`) {
      response.writeHead(200, { ...common, "content-type": "text/event-stream" });
      response.write("retry: 500\n\n");
      listeners.add(response);
      response.on("close", () => listeners.delete(response));
      if (last !== undefined) send(response, last);
    } else refuse(response, 404);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    url: `http://${host}${base}`,
    show: (shown) => {
      last = shown;
      for (const listener of listeners) send(listener, shown);
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
