import { readAuthorization } from "../identity.ts";
import { formGuard } from "./form-token.ts";
import { shown } from "./replies.ts";
import { browserOf, pendingIn } from "./steps.ts";
import { codeView } from "./views/code-view.ts";
import { decisionView } from "./views/decision-view.ts";
import { passwordView } from "./views/password-view.ts";
import type { Visit } from "./visit.ts";

const REJECTED = "The sign-in was rejected on another device. If that was not you, change your password.";

/** Shows the current step of authorizing an app in this browser. Raises `invalid_request`. */
export const authorizationPage = async ({ query, request }: Visit) => {
  const asked = await readAuthorization(query);
  const { token, cookies } = formGuard(request);
  const browser = await browserOf(request);
  if (browser !== null) return shown(200, decisionView({ asked, browser, query, token }), { cookies });
  const pending = await pendingIn(request);
  if (pending === null) return shown(200, passwordView({ asked, query, token }), { cookies });
  if (pending.status === "rejected") {
    const page = passwordView({ asked, query, token, problem: REJECTED });
    return shown(200, page, { cookies });
  }
  const headers = { "x-sign-in-status": pending.status };
  return shown(200, codeView({ pending, query, token }), { cookies, headers });
};
