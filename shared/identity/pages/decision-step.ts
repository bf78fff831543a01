import { Fault } from "#shared/foundation/faults";
import { allow, deny } from "../identity.ts";
import { refusalOf } from "./refusals.ts";
import { onwards, shown } from "./replies.ts";
import { browserOf, takeStep } from "./steps.ts";
import { type DecisionView, decisionView } from "./views/decision-view.ts";
import type { Step } from "./visit.ts";

type DecisionStep = Step<{ readonly decision: string; readonly organization_id: string }>;

/** What the person is told if their session does not suffice, and the label of the way to sign in again. */
const refused = (error: unknown): Pick<DecisionView, "problem" | "signOutLabel"> =>
  error instanceof Fault && error.code === "second_factor_required"
    ? { problem: error.message, signOutLabel: "Sign in again" }
    : { problem: "You cannot work in this organization at present. Sign in again, or ask one of its administrators." };

/** The person's decision. Redirects to the app. */
export const decisionStep = (step: DecisionStep) =>
  takeStep(step, async ({ asked, next, guard }) => {
    const { query, body, request } = step;
    const browser = await browserOf(request);
    if (browser === null) return onwards(next);
    if (asked.refusal !== null || body.decision !== "allow") return onwards(deny(asked, query));
    try {
      return onwards(await allow(browser, asked.organization?.id ?? body.organization_id, query));
    } catch (error) {
      const { status, headers } = refusalOf(error, ["not_a_member", "second_factor_required"]);
      const page = decisionView({ asked, browser, query, token: guard.token, ...refused(error) });
      return shown(status, page, { cookies: guard.cookies, headers });
    }
  });
