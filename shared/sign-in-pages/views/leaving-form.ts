import { html, type Markup } from "../../html/html.ts";
import type { BrowserRequest } from "../../identity/identity.ts";
import { stepAddress } from "../addresses.ts";
import { form } from "./form.ts";

export const leavingForm = (query: BrowserRequest, token: string, label: string): Markup =>
  form({ action: stepAddress("sign-out", query), token }, html`<button class="plain" type="submit">${label}</button>`);
