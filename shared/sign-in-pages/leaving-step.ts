import { logout } from "../identity/identity.ts";
import { leftCookies } from "./entering.ts";
import { onwards } from "./replies.ts";
import { browserOf, takeStep } from "./steps.ts";
import { deviceOf, type Step } from "./visit.ts";

/** Ends what this browser has begun, so that somebody else can sign in in it. */
export const leavingStep = (step: Step) =>
  takeStep(step, async ({ next }) => {
    const browser = await browserOf(step.request);
    if (browser !== null) await logout(browser, deviceOf(step.request));
    return onwards(next, leftCookies());
  });
