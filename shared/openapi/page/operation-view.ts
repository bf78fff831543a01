import { html, type Markup } from "../../html/html.ts";
import { commonHeaders } from "../../http/common-headers.ts";
import type { MediaType, OpenapiDocument, Operation, Parameter, Response } from "../document.ts";
import { curl, type Route } from "./curl.ts";
import { phrase, prose } from "./prose.ts";
import { sampler } from "./sample.ts";
import { entryView, schemaView } from "./schema-view.ts";

const ACCESS: Readonly<Record<Operation["x-access"], string>> = {
  public: "No token",
  signature: "Signed by the sender",
  capability: "Single-purpose token",
  user: "Signed in",
  beacon: "Signed in, token in header or body",
  admin: "Administrators",
  superuser: "Operators",
};

const PLACES: readonly (readonly [Parameter["in"], string])[] = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
];

const pathView = (path: string): Markup =>
  html`${path.split(/(\{\w+\})/).map((part) => (part.startsWith("{") ? html`<em>${part}</em>` : part.replaceAll("/", "/\u200b")))}`;

const parametersView = ({ parameters = [] }: Operation): Markup =>
  html`${PLACES.map(([place, title]) => {
    const entries = parameters.filter((parameter) => parameter.in === place);
    return entries.length > 0
      ? html`<h4>${title}</h4><ul class="entries">${entries.map((entry) => entryView(entry, "request"))}</ul>`
      : "";
  })}`;

const bodyView = (document: OpenapiDocument, { requestBody }: Operation): Markup => {
  const types = Object.entries(requestBody?.content ?? {});
  const [first] = types;
  if (!first) return html``;
  return html`<h4>Body${requestBody?.required ? "" : html` <span class="aside">optional</span>`}</h4>
<p class="aside">${types.map(([type], index) => html`${index > 0 ? " or " : ""}<code>${type}</code>`)}</p>
${schemaView(document, first[1].schema, "request")}`;
};

/** The introduction tells of the headers that every answer has. */
const headersView = ({ headers = {} }: Response): Markup =>
  html`${Object.entries(headers)
    .filter(([name]) => !Object.hasOwn(commonHeaders, name))
    .map(([name, { description }]) => html`<p class="aside">Header <code>${name}</code>: ${phrase(description)}</p>`)}`;

const replyView = (document: OpenapiDocument, status: string, reply: Response): Markup => {
  const [content] = Object.values(reply.content ?? {});
  return html`<div class="reply"><p><span class="status">${status}</span> ${phrase(reply.description)}</p>${headersView(reply)}${
    content ? schemaView(document, content.schema, "reply") : html`<p class="aside">Without a body.</p>`
  }</div>`;
};

const errorRows = ([status, reply]: readonly [string, Response]): Markup[] => {
  const [content] = Object.values(reply.content ?? {});
  return Object.entries(content?.examples ?? {}).map(
    ([code, { summary }]) =>
      html`<tr><td>${status}</td><td><code>${code}</code></td><td>${phrase(summary ?? "")}</td></tr>`,
  );
};

const codeBlock = (label: string, text: string): Markup =>
  html`<figure><figcaption>${label}</figcaption><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre></figure>`;

const exampleReply = (document: OpenapiDocument, [status, reply]: readonly [string, Response]): Markup => {
  const [type, content] = Object.entries<MediaType>(reply.content ?? {})[0] ?? [];
  if (!content || type !== "application/json") return html``;
  return codeBlock(`Reply ${status}`, JSON.stringify(sampler(document, "shown")(content.schema), null, 2));
};

/** One route: what it does and takes on the left, a command and its answer on the right. */
export const operationView = (document: OpenapiDocument, route: Route): Markup => {
  const { method, path, operation } = route;
  const replies = Object.entries(operation.responses);
  const good = replies.filter(([status]) => status < "400");
  const bad = replies.filter(([status]) => status >= "400");
  const title = `${operation.operationId}-title`;
  return html`<section class="operation" id="${operation.operationId}" aria-labelledby="${title}">
<header><h3 id="${title}"><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${pathView(path)}</code> <span class="access ${
    operation["x-access"]
  }"><span class="hidden">Access: </span>${ACCESS[operation["x-access"]]}</span></p></header>
<div class="columns"><div class="details">${prose(operation.description)}
${parametersView(operation)}${bodyView(document, operation)}
<h4>Replies</h4>${good.map(([status, reply]) => replyView(document, status, reply))}
<details class="errors"><summary><h4>Errors</h4> <span class="aside">${bad.map(([status]) => status).join(", ")}</span></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Errors of ${operation.operationId}"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead><tbody>${bad.map(
    errorRows,
  )}</tbody></table></div></details></div>
<div class="examples">${codeBlock("Request", curl(document, route))}${good.slice(0, 1).map((reply) => exampleReply(document, reply))}</div></div>
</section>`;
};
