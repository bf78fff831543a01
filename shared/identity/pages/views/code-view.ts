import { html, type Markup, type Page, pageOf } from "#shared/foundation/html/html";
import type { BrowserRequest, PendingSignIn } from "../../identity.ts";
import { firstPage, stepAddress } from "../addresses.ts";
import { alert, field, form, type Problem, signOutForm, submit, titled } from "./form.ts";

export interface CodeView {
  readonly pending: PendingSignIn;
  readonly query: BrowserRequest;
  readonly token: string;
  readonly problem?: Problem;
  /** Whether what is wrong is what was typed. */
  readonly mistyped?: boolean;
}

/** Goes on by itself once another device has decided; without it there is the button. */
const script = `const first = "${firstPage({})}" + location.search;
const look = async () => {
  const reply = await fetch(first, { cache: "no-store" }).catch(() => undefined);
  const status = reply?.headers.get("x-sign-in-status");
  if (status === "approved") document.getElementById("approval").requestSubmit();
  else if (reply?.ok && status !== "pending") location.replace(first);
  else setTimeout(look, 3000);
};
setTimeout(look, 3000);`;

const instruction = ({ factor, email }: PendingSignIn): Markup =>
  factor === "totp"
    ? html`Enter the code that your authenticator app shows for <strong>${email}</strong>, or one of your recovery codes.`
    : html`We have sent a code of six digits to <strong>${email}</strong>. It is valid for 10 minutes.`;

export const codeView = ({ pending, query, token, problem, mistyped }: CodeView): Page =>
  pageOf({
    title: titled("Enter your code", problem),
    // Decided already: the page would send the form again and again, whatever the answer to it is.
    ...(pending.status === "pending" ? { script } : {}),
    content: html`<h1>Enter your code</h1><p class="soft">${instruction(pending)}</p>${alert(problem)}
${form(
  { action: stepAddress("code", query), token },
  html`${field({ name: "code", label: "Code", type: "text", autocomplete: "one-time-code", className: "code", first: true, ...(mistyped ? { problem } : {}) })}
${submit("Continue")}`,
)}
<section class="aside" aria-labelledby="approve"><h2 id="approve">Or approve it on another device</h2>
<p class="soft">A device on which you are signed in already can let you in here. It asks for this number:</p>
<p class="number">${pending.number}</p>
${form({ action: stepAddress("approval", query), token, id: "approval" }, html`<button type="submit">I have approved it</button>`)}</section>
<div class="aside">${signOutForm(query, token, "Begin again, or as somebody else")}</div>`,
  });
