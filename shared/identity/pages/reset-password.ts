import { newPassword } from "#contracts/identity-bodies";
import { Fault } from "#shared/foundation/faults";
import { type LeakedPasswords, resetPassword } from "../identity.ts";
import { formGuard, isOurForm } from "./form-token.ts";
import { shown } from "./replies.ts";
import { staleFormView } from "./views/form.ts";
import { deadLinkView, passwordSetView, resetPasswordView } from "./views/new-password-views.ts";
import type { BrowserFacts, Submission } from "./visit.ts";

interface ResetVisit {
  readonly query: { readonly token: string };
  readonly request: BrowserFacts;
}

export const resetPasswordPage = async ({ query, request }: ResetVisit) => {
  const { token, cookies } = formGuard(request);
  return shown(200, resetPasswordView({ resetToken: query.token, token }), { cookies });
};

type ResetStep = Submission<{ readonly token: string; readonly password: string }>;

type Outcome = { readonly done: true } | { readonly dead: true } | { readonly problem: readonly string[] };

const reset = async ({ body, request }: ResetStep, leaked: LeakedPasswords): Promise<Outcome> => {
  const password = newPassword.safeParse(body.password);
  if (!password.success) return { problem: password.error.issues.map(({ message }) => message) };
  try {
    await resetPassword(body.token, password.data, request.device, leaked);
    return { done: true };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === "invalid_reset_token") return { dead: true };
    if (error.code !== "validation_failed") throw error;
    return { problem: error.issues.map(({ msg }) => msg) };
  }
};

/** Sets a new password with the mailed token, once, and ends every session of the person. */
export const resetPasswordStep = async (step: ResetStep, leaked: LeakedPasswords) => {
  const { body, request } = step;
  const again = `/v1/sign-in/reset-password?${new URLSearchParams({ token: body.token })}`;
  if (!isOurForm(step)) return shown(403, staleFormView(again));
  const outcome = await reset(step, leaked);
  if ("done" in outcome) return shown(200, passwordSetView());
  if ("dead" in outcome) return shown(422, deadLinkView());
  const { problem } = outcome;
  return shown(422, resetPasswordView({ resetToken: body.token, token: formGuard(request).token, problem }));
};
