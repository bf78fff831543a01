import { secondFactorCode } from "#contracts/second-factor-bodies";
import { Fault } from "#shared/foundation/faults";
import { browserSession, verifySecondFactor } from "../identity.ts";
import { refusalOf } from "./refusals.ts";
import { onwards, shown } from "./replies.ts";
import { beginAgain, type Pending, pendingIn, signedInCookies, takeStep } from "./steps.ts";
import { codeView } from "./views/code-view.ts";
import type { Step } from "./visit.ts";

type CodeStep = Step<{ readonly code: string }>;

const verifyCode = async ({ body, request }: CodeStep, { email, session_id }: Pending) => {
  const code = secondFactorCode.safeParse(body.code);
  if (!code.success) throw new Fault("invalid_code");
  return verifySecondFactor({ email, session_id, code: code.data, ...request.device }, browserSession);
};

/** The code of the second factor: leads on to the decision. */
export const codeStep = (step: CodeStep) =>
  takeStep(step, async (context) => {
    const pending = await pendingIn(step.request);
    if (pending === null) return beginAgain(context, step);
    try {
      return onwards(context.next, signedInCookies((await verifyCode(step, pending)).cookie));
    } catch (error) {
      const { status, message: problem, headers } = refusalOf(error, ["invalid_code", "not_a_member"]);
      const wrong = { problem, mistyped: status === 422 };
      const page = codeView({ pending, query: step.query, token: context.guard.token, ...wrong });
      return shown(status, page, { cookies: context.guard.cookies, headers });
    }
  });
