import { html, type Markup, type Page, pageOf } from "#shared/foundation/html/html";
import type { BrowserRequest } from "../../identity.ts";
import { stepAddress } from "../addresses.ts";

/** What the reader is told before they try again. */
export type Problem = string | readonly string[] | undefined;

const PROBLEM_ID = "problem";

const linesOf = (problem: Problem): readonly string[] => (typeof problem === "string" ? [problem] : (problem ?? []));

export const alert = (problem: Problem): Markup | undefined =>
  problem === undefined
    ? undefined
    : html`<div class="alert" role="alert" id="${PROBLEM_ID}">${linesOf(problem).map((line) => html`<p>${line}</p>`)}</div>`;

/** The title of the window. A screen reader reads it first. */
export const titled = (title: string, problem: Problem): string =>
  problem === undefined ? title : `Problem: ${title}`;

export interface FormParts {
  readonly action: string;
  readonly token: string;
  readonly id?: string;
}

export const form = ({ action, token, id }: FormParts, content: Markup): Markup =>
  html`<form method="post" action="${action}"${id === undefined ? undefined : html` id="${id}"`}><input type="hidden" name="form_token" value="${token}">${content}</form>`;

export interface FieldParts {
  readonly name: string;
  readonly label: string;
  readonly type: "email" | "password" | "text";
  readonly autocomplete: string;
  readonly value?: string;
  readonly hint?: string;
  readonly className?: string;
  readonly problem?: Problem;
  /** Where the reader starts. */
  readonly first?: boolean;
}

/** A labelled field. What is wrong is read out with it. */
export const field = (parts: FieldParts): Markup => {
  const { name, label, type, autocomplete, value, hint, className, problem, first } = parts;
  const described = [hint && `${name}-hint`, problem && PROBLEM_ID].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${name}">${label}</label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${[
    className && html` class="${className}"`,
    value && html` value="${value}"`,
    described && html` aria-describedby="${described}"`,
    problem && html` aria-invalid="true"`,
    first && html` autofocus`,
    type !== "password" && html` autocapitalize="none" spellcheck="false"`,
  ].filter((one) => typeof one === "object")}></div>`;
};

export const submit = (label: string): Markup => html`<button class="primary" type="submit">${label}</button>`;

export const signOutForm = (query: BrowserRequest, token: string, label: string): Markup =>
  form({ action: stepAddress("sign-out", query), token }, html`<button class="plain" type="submit">${label}</button>`);

/** For a form that did not come from a page of ours, or from one that was open for too long. */
export const staleFormView = (again: string): Page =>
  pageOf({
    title: "This page is too old",
    content: html`<h1>This page is too old</h1><p>Nothing was done. It was open for too long, or in a browser that takes no cookies from us.</p>
<p><a href="${again}">Begin again</a></p>`,
  });
