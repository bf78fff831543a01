import { type AskedAuthorization, type Browser, findBrowser, readAuthorization } from "../identity.ts";
import { firstPage } from "./addresses.ts";
import { readCookie } from "./cookies.ts";
import { type FormGuard, formGuard, isOurForm } from "./form-token.ts";
import { shown } from "./replies.ts";
import { staleView } from "./views/stale-view.ts";
import type { BrowserFacts, Step } from "./visit.ts";

export interface Place {
  readonly asked: AskedAuthorization;
  /** The first page, which shows whichever step comes next. */
  readonly next: string;
  readonly guard: FormGuard;
}

/** What every step looks at first: whether the form is ours, and what the app asks for. */
export const takeStep = async <S extends Step, R>(step: S, go: (place: Place) => Promise<R>) => {
  const next = firstPage(step.query);
  if (!isOurForm(step)) return shown(403, staleView(next));
  return go({ asked: await readAuthorization(step.query), next, guard: formGuard(step.request) });
};

/** Who is signed in in this browser. */
export const browserOf = async (facts: BrowserFacts): Promise<Browser | null> => {
  const cookie = readCookie(facts, "session");
  return cookie === undefined ? null : findBrowser(cookie);
};
