import { html, type Markup } from "#shared/foundation/html/html";
import type { BrowserRequest } from "../../identity.ts";
import { stepAddress } from "../addresses.ts";
import { form } from "./form.ts";

export const leavingForm = (query: BrowserRequest, token: string, label: string): Markup =>
  form({ action: stepAddress("sign-out", query), token }, html`<button class="plain" type="submit">${label}</button>`);
