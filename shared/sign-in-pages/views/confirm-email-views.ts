import { html, type Page, pageOf } from "../../html/html.ts";
import { stepAddress } from "../addresses.ts";
import { form, submit } from "./form.ts";

const forgotten = (label: string) => html`<a href="${stepAddress("forgot-password", {})}">${label}</a>`;

export interface ConfirmEmailView {
  readonly mailedToken: string;
  readonly token: string;
}

/** It warns, since a stranger who has registered with this email waits for exactly this click. */
export const confirmEmailView = ({ mailedToken, token }: ConfirmEmailView): Page =>
  pageOf({
    title: "Confirm your email",
    content: html`<h1>Confirm your email</h1><p class="soft">Only if you have made the account yourself: whoever has made it could pass for you.</p>
${form(
  { action: "/v1/sign-in/confirm-email", token },
  html`<input type="hidden" name="token" value="${mailedToken}">
${submit("Confirm")}`,
)}
<p class="under">It was not you? ${forgotten("Set a password of your own")}: that signs them out for good.</p>`,
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
