import { secondFactorCode } from "#contracts/second-factor-bodies";
import { Fault } from "#shared/foundation/faults";
import { browserSession, verifySecondFactor } from "../identity.ts";
import { enteredCookies } from "./entering.ts";
import { refusalOf } from "./refusals.ts";
import { onwards, shown } from "./replies.ts";
import { takeStep } from "./steps.ts";
import { codeView } from "./views/code-view.ts";
import type { Step } from "./visit.ts";
import { beginAgain, type Waiting, waitingIn } from "./waiting.ts";

type CodeStep = Step<{ readonly code: string }>;

const enter = async ({ body, request }: CodeStep, { email, session_id }: Waiting) => {
  const code = secondFactorCode.safeParse(body.code);
  if (!code.success) throw new Fault("invalid_code");
  return verifySecondFactor({ email, session_id, code: code.data, ...request.device }, browserSession);
};

/** The code of the second factor: leads on to the decision. */
export const codeStep = (step: CodeStep) =>
  takeStep(step, async (place) => {
    const waiting = await waitingIn(step.request);
    if (waiting === null) return beginAgain(place, step);
    try {
      return onwards(place.next, enteredCookies((await enter(step, waiting)).cookie));
    } catch (error) {
      const { status, message: problem, headers } = refusalOf(error, ["invalid_code", "not_a_member"]);
      const wrong = { problem, mistyped: status === 422 };
      const page = codeView({ waiting, query: step.query, token: place.guard.token, ...wrong });
      return shown(status, page, { cookies: place.guard.cookies, headers });
    }
  });
