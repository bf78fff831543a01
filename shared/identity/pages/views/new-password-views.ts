import { PASSWORD_LENGTH } from "#contracts/identity-bodies";
import { html, type Page, pageOf } from "#shared/foundation/html/html";
import type { BrowserRequest } from "../../identity.ts";
import { firstPage, stepAddress } from "../addresses.ts";
import { alert, field, form, type Problem, submit, titled } from "./form.ts";

const wayBack = (query: BrowserRequest) =>
  query.client_id === undefined
    ? undefined
    : html`<p class="under"><a href="${firstPage(query)}">Back to signing in</a></p>`;

const LENGTH_HINT = `At least ${PASSWORD_LENGTH.min} characters. A few unusual words are easier to remember than symbols.`;

export interface ForgotPasswordView {
  readonly query: BrowserRequest;
  readonly token: string;
  readonly email?: string;
  readonly problem?: Problem;
}

export const forgotPasswordView = ({ query, token, email = "", problem }: ForgotPasswordView): Page =>
  pageOf({
    title: titled("Forgot your password?", problem),
    content: html`<h1>Forgot your password?</h1><p class="soft">We send you a link with which you can set a new one.</p>${alert(problem)}
${form(
  { action: stepAddress("forgot-password", query), token },
  html`${field({ name: "email", label: "Email", type: "email", autocomplete: "username", value: email, first: true, problem })}
${submit("Send the link")}`,
)}${wayBack(query)}`,
  });

export const mailSentView = (query: BrowserRequest): Page =>
  pageOf({
    title: "Check your mail",
    content: html`<h1>Check your mail</h1><p>If there is an account with this address, a mail is on its way to it. The link in it is valid for 30 minutes.</p>${wayBack(query)}`,
  });

export interface ResetPasswordView {
  readonly resetToken: string;
  readonly token: string;
  readonly problem?: Problem;
}

export const resetPasswordView = ({ resetToken, token, problem }: ResetPasswordView): Page =>
  pageOf({
    title: titled("Set a new password", problem),
    content: html`<h1>Set a new password</h1><p class="soft">It ends all of your sessions, those of apps that act for you too.</p>${alert(problem)}
${form(
  { action: "/v1/sign-in/reset-password", token },
  html`<input type="hidden" name="token" value="${resetToken}">
${field({ name: "password", label: "New password", type: "password", autocomplete: "new-password", hint: LENGTH_HINT, first: true, problem })}
${submit("Set the password")}`,
)}`,
  });

/** For a link that no longer works. */
export const deadLinkView = (): Page =>
  pageOf({
    title: "This link no longer works",
    content: html`<h1>This link no longer works</h1><p>It was used, or it has expired, or the password has been changed since it was sent.</p>
<p><a href="${stepAddress("forgot-password", {})}">Ask for another one</a></p>`,
  });

export const passwordSetView = (): Page =>
  pageOf({
    title: "Your password is changed",
    content: html`<h1>Your password is changed</h1><p>Go back to where you wanted to sign in, and sign in with it.</p>`,
  });
