import { newPassword } from "#contracts/identity-bodies";
import { Fault } from "../faults.ts";
import { resetPassword } from "../identity/identity.ts";
import { formGuard, isOurForm } from "./form-token.ts";
import { shown } from "./replies.ts";
import { passwordSetView, resetPasswordView } from "./views/new-password-views.ts";
import { staleView } from "./views/stale-view.ts";
import { type BrowserFacts, deviceOf, type Submission } from "./visit.ts";

interface ResetVisit {
  readonly query: { readonly token: string };
  readonly request: BrowserFacts;
}

export const resetPasswordPage = async ({ query, request }: ResetVisit) => {
  const { token, cookies } = formGuard(request);
  return shown(200, resetPasswordView({ resetToken: query.token, token }), { cookies });
};

/** Sentences on what is wrong with the new password or with the mail's token. */
const problemsOf = (error: unknown): string[] => {
  if (!(error instanceof Fault)) throw error;
  if (error.code === "invalid_reset_token") return ["This link was used or is past its time. Ask for another one."];
  if (error.code !== "validation_failed") throw error;
  return error.issues.map(({ msg }) => msg);
};

type ResetStep = Submission<{ readonly token: string; readonly password: string }>;

/** The new password, or why it was not set. */
const reset = async ({ body, request }: ResetStep): Promise<string[]> => {
  const password = newPassword.safeParse(body.password);
  if (!password.success) return password.error.issues.map(({ message }) => message);
  try {
    await resetPassword(body.token, password.data, deviceOf(request));
    return [];
  } catch (error) {
    return problemsOf(error);
  }
};

/** Sets a new password with the mail's token, once; every session of the person ends. */
export const resetPasswordStep = async (step: ResetStep) => {
  const { body, request } = step;
  const again = `/v1/sign-in/reset-password?${new URLSearchParams({ token: body.token })}`;
  if (!isOurForm(step)) return shown(403, staleView(again));
  const problem = await reset(step);
  if (problem.length === 0) return shown(200, passwordSetView());
  return shown(422, resetPasswordView({ resetToken: body.token, token: formGuard(request).token, problem }));
};
