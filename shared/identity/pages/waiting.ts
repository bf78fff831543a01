import { type WaitingSignIn, waitingSignIn } from "../identity.ts";
import { clearCookie, readCookie } from "./cookies.ts";
import { shown } from "./replies.ts";
import type { Place } from "./steps.ts";
import { passwordView } from "./views/password-view.ts";
import type { BrowserFacts, Step } from "./visit.ts";

export type Waiting = WaitingSignIn & { readonly session_id: string };

/** The sign-in of this browser that waits for its second factor. */
export const waitingIn = async (facts: BrowserFacts): Promise<Waiting | null> => {
  const session_id = readCookie(facts, "waiting");
  const waiting = session_id === undefined ? null : await waitingSignIn(session_id);
  return session_id === undefined || waiting === null ? null : { ...waiting, session_id };
};

/** For a sign-in that is not waited for any more. */
export const beginAgain = ({ asked, guard }: Place, { query }: Step) => {
  const problem = "This sign-in has expired. Begin again.";
  const page = passwordView({ asked, query, token: guard.token, problem });
  return shown(422, page, { cookies: [...guard.cookies, clearCookie("waiting")] });
};
