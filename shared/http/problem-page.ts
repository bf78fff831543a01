import type { Fault } from "../faults.ts";
import { html, pageOf } from "../html/html.ts";
import type { HttpAnswer } from "./problem.ts";

const sentencesOf = ({ message, issues }: Fault): string[] =>
  issues.length === 0 ? [message] : [...new Set(issues.map(({ msg }) => msg))];

/** The same as `problem`, for a person in front of a browser. */
export const problemPage = (fault: Fault, requestId: string): HttpAnswer => {
  const title = fault.status >= 500 ? "Something went wrong" : "This did not work";
  const page = pageOf({
    title,
    content: html`<h1>${title}</h1>${sentencesOf(fault).map((sentence) => html`<p>${sentence}</p>`)}
<p class="hint">Go back and try again, or quote <code>${requestId}</code> when you ask for help.</p>`,
  });
  const headers = { "content-type": "text/html; charset=utf-8", ...page.headers, ...fault.headers };
  return { statusCode: fault.status, headers, body: page.html };
};
