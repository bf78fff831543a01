import type { Fault } from "#shared/foundation/faults";
import { html, type Markup, pageOf } from "#shared/foundation/html/html";
import type { HttpAnswer } from "./problem.ts";

const sentencesOf = ({ message, issues }: Fault): string[] =>
  issues.length === 0 ? [message] : [...new Set(issues.map(({ msg }) => msg))];

/** For a request that is an error of the app, not of the person. */
const misconfigured = ({ message }: Fault): Markup =>
  html`<p>Nothing can be done about it here: tell whoever makes it.</p><p class="hint">For its developers: ${message}</p>`;

const titleOf = ({ code, status }: Fault): string => {
  if (code === "invalid_request") return "The app that sent you here is not set up correctly";
  return status >= 500 ? "Something went wrong" : "This did not work";
};

/** The same as `problem`, as a page for people. */
export const problemPage = (fault: Fault, requestId: string): HttpAnswer => {
  const title = titleOf(fault);
  const isApps = fault.code === "invalid_request";
  const page = pageOf({
    title,
    content: html`<h1>${title}</h1>${isApps ? misconfigured(fault) : sentencesOf(fault).map((one) => html`<p>${one}</p>`)}
<p class="hint">${isApps ? "Quote" : "Go back and try again, or quote"} <code>${requestId}</code> when you ask for help.</p>`,
  });
  const headers = { "content-type": "text/html; charset=utf-8", ...page.headers, ...fault.headers };
  return { statusCode: fault.status, headers, body: page.html };
};
