import { logout } from "../identity.ts";
import { onwards } from "./replies.ts";
import { browserOf, signedOutCookies, takeStep } from "./steps.ts";
import type { Step } from "./visit.ts";

/**
 * Signs this browser out, so that somebody else can sign in. The browser forgets a pending sign-in, which still counts
 * for its network's limit until it expires.
 */
export const signOutStep = (step: Step) =>
  takeStep(step, async ({ next }) => {
    const browser = await browserOf(step.request);
    if (browser !== null) await logout(browser, step.request.device);
    return onwards(next, signedOutCookies());
  });
