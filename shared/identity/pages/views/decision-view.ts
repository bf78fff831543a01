import { html, type Markup, type Page, pageOf } from "#shared/foundation/html/html";
import type { AskedAuthorization, AuthorizationRefusal, Browser, BrowserRequest } from "../../identity.ts";
import { stepAddress } from "../addresses.ts";
import { alert, form, type Problem, signOutForm, titled } from "./form.ts";

export interface DecisionView {
  readonly asked: AskedAuthorization;
  readonly browser: Browser;
  readonly query: BrowserRequest;
  readonly token: string;
  readonly problem?: Problem;
  /** The way out of this session; for somebody else unless said otherwise. */
  readonly signOutLabel?: string;
}

const RIGHTS: Readonly<Record<string, string>> = {
  read: "Read what you may read there",
  write: "Create, change and delete what you may",
  admin: "Do what only administrators may, if you are one",
  "sensitive:read": "See sensitive values, such as numbers of identity cards, if you may see them",
  all: "Do everything that you may do there",
};

/** The redirect's target in words, which distinguish the person's own machine from others. */
const destination = (uri: string): Markup => {
  const { protocol, hostname, host } = new URL(uri);
  if (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "[::1]"))
    return html`a program on this computer`;
  return protocol === "https:"
    ? html`<strong>${host}</strong>`
    : html`the app on this device (<code>${protocol}</code>)`;
};

const choice = (id: string, name: string, checked: boolean): Markup =>
  html`<label class="choice"><input type="radio" name="organization_id" value="${id}" required${checked ? html` checked` : undefined}><span>${name}</span></label>`;

/** An app of an organization works there; one of the platform's own wherever the person says. */
const whereTo = ({ organization }: AskedAuthorization, browser: Browser): Markup => {
  const [only, ...others] = browser.organizations;
  if (organization !== null)
    return html`<p>It belongs to <strong>${organization.name}</strong> and works there only.</p>`;
  if (only !== undefined && others.length === 0) {
    return html`<p>It works in <strong>${only.name}</strong>.</p><input type="hidden" name="organization_id" value="${only.id}">`;
  }
  return html`<fieldset><legend>In which organization?</legend>${browser.organizations.map(({ id, name }) =>
    choice(id, name, id === browser.organization_id),
  )}</fieldset>`;
};

const question = ({ asked, browser, query, token, problem }: DecisionView): Markup =>
  html`<h1>Allow ${asked.app}?</h1>${alert(problem)}
<p class="soft">It would act for you, as <strong>${browser.email}</strong>, and could:</p>
<ul class="rights">${asked.scopes.map((scope) => html`<li>${RIGHTS[scope] ?? scope}</li>`)}</ul>
${form(
  { action: stepAddress("decision", query), token },
  html`${whereTo(asked, browser)}
<p class="hint">Your answer goes to ${destination(asked.redirect_uri)}. It counts for 30 days at most, and you can take it back at any time: it is one of your sessions.</p>
<button class="primary" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" formnovalidate>Do not allow</button>`,
)}`;

const goBack = ({ asked, query, token }: DecisionView): Markup =>
  form(
    { action: stepAddress("decision", query), token },
    html`<p class="hint">The button takes you to ${destination(asked.redirect_uri)}.</p>
<button type="submit" name="decision" value="deny">Back to ${asked.app}</button>`,
  );

/** For people who cannot work where the app belongs to: there is nothing to allow. */
const notAMember = (view: DecisionView): Markup =>
  html`<h1>You cannot use ${view.asked.app}</h1>
<p><strong>${view.browser.email}</strong> is not a member of the organization that it belongs to.</p>
${goBack(view)}`;

/** For a request that nobody can grant. The app is told why. */
const failure = (view: DecisionView, { error_description }: AuthorizationRefusal): Markup =>
  html`<h1>${view.asked.app} has asked for something that it cannot have</h1>
<p>Nothing can be done about it here: tell whoever makes it.</p><p class="hint">For its developers: ${error_description}</p>
${goBack(view)}`;

const isNotMember = ({ asked: { organization }, browser }: DecisionView): boolean =>
  organization !== null && browser.organizations.every(({ id }) => id !== organization.id);

const headed = (view: DecisionView): { readonly title: string; readonly main: Markup } => {
  const { asked, problem } = view;
  if (asked.refusal !== null) return { title: `${asked.app} cannot have this`, main: failure(view, asked.refusal) };
  if (isNotMember(view)) return { title: `You cannot use ${asked.app}`, main: notAMember(view) };
  return { title: titled(`Allow ${asked.app}?`, problem), main: question(view) };
};

export const decisionView = (view: DecisionView): Page => {
  const { asked, query, token, signOutLabel = "Not you? Sign in as somebody else" } = view;
  const { title, main } = headed(view);
  return pageOf({
    title,
    // A policy looks at where a form's answer redirects to as well.
    formTargets: [asked.redirect_uri],
    content: html`${main}
<div class="aside">${signOutForm(query, token, signOutLabel)}</div>`,
  });
};
