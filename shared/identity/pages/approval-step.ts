import { browserSession, signInStatus } from "../identity.ts";
import { enteredCookies } from "./entering.ts";
import { refusalOf } from "./refusals.ts";
import { onwards, shown } from "./replies.ts";
import { takeStep } from "./steps.ts";
import { codeView } from "./views/code-view.ts";
import type { Step } from "./visit.ts";
import { beginAgain, waitingIn } from "./waiting.ts";

/** Once another device has approved it leads on to the decision. */
export const approvalStep = (step: Step) =>
  takeStep(step, async (place) => {
    const { query, request } = step;
    const waiting = await waitingIn(request);
    if (waiting === null) return beginAgain(place, step);
    // The first page says so.
    if (waiting.status === "rejected") return onwards(place.next);
    const again = (status: 422 | 429, problem: string, headers = {}) =>
      shown(status, codeView({ waiting, query, token: place.guard.token, problem }), {
        cookies: place.guard.cookies,
        headers,
      });
    try {
      const { entered } = await signInStatus(waiting, request.device, browserSession);
      if (entered !== undefined) return onwards(place.next, enteredCookies(entered.cookie));
      return again(422, "No device has approved it yet.");
    } catch (error) {
      const { status, message, headers } = refusalOf(error, ["not_a_member"]);
      return again(status, message, headers);
    }
  });
