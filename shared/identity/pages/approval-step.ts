import { browserSession, signInStatus } from "../identity.ts";
import { refusalOf } from "./refusals.ts";
import { onwards, shown } from "./replies.ts";
import { beginAgain, pendingIn, signedInCookies, takeStep } from "./steps.ts";
import { codeView } from "./views/code-view.ts";
import type { Step } from "./visit.ts";

/** Leads on to the decision once another device has approved. */
export const approvalStep = (step: Step) =>
  takeStep(step, async (context) => {
    const { query, request } = step;
    const pending = await pendingIn(request);
    if (pending === null) return beginAgain(context, step);
    // The first page tells the person.
    if (pending.status === "rejected") return onwards(context.next);
    const again = (status: 422 | 429, problem: string, headers = {}) =>
      shown(status, codeView({ pending, query, token: context.guard.token, problem }), {
        cookies: context.guard.cookies,
        headers,
      });
    try {
      const { entered } = await signInStatus(pending, request.device, browserSession);
      if (entered !== undefined) return onwards(context.next, signedInCookies(entered.cookie));
      return again(422, "No device has approved it yet.");
    } catch (error) {
      const { status, message, headers } = refusalOf(error, ["not_a_member"]);
      return again(status, message, headers);
    }
  });
