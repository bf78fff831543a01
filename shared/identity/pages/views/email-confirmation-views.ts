import { html, type Page, pageOf } from "#shared/foundation/html/html";
import { stepAddress } from "../addresses.ts";
import { alert, field, form, type Problem, submit, titled } from "./form.ts";

const forgotten = (label: string) => html`<a href="${stepAddress("forgot-password", {})}">${label}</a>`;

export interface ConfirmEmailView {
  readonly mailedToken: string;
  readonly token: string;
  readonly problem?: Problem;
  /** Whether what is wrong is what was typed. */
  readonly mistyped?: boolean;
}

/** It asks for the password, since a stranger who has registered with this email waits for a click of its owner. */
export const confirmEmailView = ({ mailedToken, token, problem, mistyped }: ConfirmEmailView): Page =>
  pageOf({
    title: titled("Confirm your email", problem),
    content: html`<h1>Confirm your email</h1><p class="soft">Enter the password that you have chosen for the account.</p>${alert(problem)}
${form(
  { action: "/v1/sign-in/confirm-email", token },
  html`<input type="hidden" name="token" value="${mailedToken}">
${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", first: true, ...(mistyped ? { problem } : {}) })}
${submit("Confirm")}`,
)}
<p class="under">You have made no account, or have forgotten the password? ${forgotten("Set one")}: that makes the account yours, and signs everybody else out of it.</p>`,
  });

export const emailConfirmedView = (): Page =>
  pageOf({
    title: "Your email is confirmed",
    content: html`<h1>Your email is confirmed</h1><p>You can close this page.</p>`,
  });

/** For a link that no longer works. */
export const deadConfirmationView = (): Page =>
  pageOf({
    title: "This link no longer works",
    content: html`<h1>This link no longer works</h1><p>It was used, or it has expired, or your email has been confirmed in another way.</p>
<p>A new password confirms it too: ${forgotten("set one")}.</p>`,
  });
