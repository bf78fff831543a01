import { logout } from "../identity.ts";
import { onwards } from "./replies.ts";
import { browserOf, signedOutCookies, takeStep } from "./steps.ts";
import type { Step } from "./visit.ts";

/**
 * Signs this browser out, so that somebody else can sign in in it. A sign-in that waits is forgotten here; it still counts as one
 * of its network's five until its time is over.
 */
export const signOutStep = (step: Step) =>
  takeStep(step, async ({ next }) => {
    const browser = await browserOf(step.request);
    if (browser !== null) await logout(browser, step.request.device);
    return onwards(next, signedOutCookies());
  });
