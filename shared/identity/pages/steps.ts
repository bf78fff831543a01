import {
  type AskedAuthorization,
  type Browser,
  findBrowser,
  findPendingSignIn,
  type PendingSignIn,
  readAuthorization,
} from "../identity.ts";
import { firstPage } from "./addresses.ts";
import { clearCookie, readCookie, writeCookie } from "./cookies.ts";
import { type FormGuard, formGuard, isOurForm, newFormGuard } from "./form-token.ts";
import { shown } from "./replies.ts";
import { staleFormView } from "./views/form.ts";
import { passwordView } from "./views/password-view.ts";
import type { BrowserFacts, Step } from "./visit.ts";

/** What every step on the way to authorizing an app needs. */
export interface StepContext {
  readonly asked: AskedAuthorization;
  /** The first page, which shows whichever step comes next. */
  readonly next: string;
  readonly guard: FormGuard;
}

/** Refuses a form that is not ours, and reads what the app asks for. */
export const takeStep = async <S extends Step, R>(step: S, go: (context: StepContext) => Promise<R>) => {
  const next = firstPage(step.query);
  if (!isOurForm(step)) return shown(403, staleFormView(next));
  return go({ asked: await readAuthorization(step.query), next, guard: formGuard(step.request) });
};

/** Who is signed in in this browser. */
export const browserOf = async (facts: BrowserFacts): Promise<Browser | null> => {
  const cookie = readCookie(facts, "session");
  return cookie === undefined ? null : findBrowser(cookie);
};

export type Pending = PendingSignIn & { readonly session_id: string };

/** The sign-in of this browser that waits for its second factor. */
export const pendingIn = async (facts: BrowserFacts): Promise<Pending | null> => {
  const session_id = readCookie(facts, "waiting");
  const pending = session_id === undefined ? null : await findPendingSignIn(session_id);
  return session_id === undefined || pending === null ? null : { ...pending, session_id };
};

/** For a sign-in that has expired. */
export const beginAgain = ({ asked, guard }: StepContext, { query }: Step) => {
  const problem = "This sign-in has expired. Begin again.";
  const page = passwordView({ asked, query, token: guard.token, problem });
  return shown(422, page, { cookies: [...guard.cookies, clearCookie("waiting")] });
};

/** After a sign-in: the cookies and forms that the browser had before are invalid. */
export const signedInCookies = (session: string): string[] => [
  writeCookie("session", session),
  clearCookie("waiting"),
  ...newFormGuard().cookies,
];

/** After a sign-out. */
export const signedOutCookies = (): string[] => [
  clearCookie("session"),
  clearCookie("waiting"),
  ...newFormGuard().cookies,
];
