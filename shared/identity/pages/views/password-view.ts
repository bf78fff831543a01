import { html, type Page, pageOf } from "#shared/foundation/html/html";
import type { AskedAuthorization, BrowserRequest } from "../../identity.ts";
import { stepAddress } from "../addresses.ts";
import { alert, field, form, type Problem, submit, titled } from "./form.ts";

export interface PasswordView {
  readonly asked: AskedAuthorization;
  readonly query: BrowserRequest;
  readonly token: string;
  readonly username?: string;
  readonly problem?: Problem;
  /** Whether what is wrong is what was typed. */
  readonly mistyped?: boolean;
}

export const passwordView = ({ asked, query, token, username = "", problem, mistyped }: PasswordView): Page => {
  const wrong = mistyped ? { problem } : {};
  return pageOf({
    title: titled("Sign in", problem),
    content: html`<h1>Sign in</h1><p class="soft">to continue to <strong>${asked.app}</strong></p>${alert(problem)}
${form(
  { action: stepAddress("password", query), token },
  html`${field({ name: "username", label: "Email", type: "email", autocomplete: "username", value: username, first: username === "", ...wrong })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", first: username !== "", ...wrong })}
${submit("Sign in")}`,
)}
<p class="under"><a href="${stepAddress("forgot-password", query)}">Forgot your password?</a></p>`,
  });
};
