import { html, type Page, pageOf } from "#shared/foundation/html/html";

/** For a form that does not come from a page of ours, or from one that has been open for too long. */
export const staleView = (again: string): Page =>
  pageOf({
    title: "This page is too old",
    content: html`<h1>This page is too old</h1><p>Nothing was done. It was open for too long, or in a browser that takes no cookies from us.</p>
<p><a href="${again}">Begin again</a></p>`,
  });
