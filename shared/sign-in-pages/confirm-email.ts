import { Fault } from "../faults.ts";
import { confirmEmail } from "../identity/identity.ts";
import { formGuard, isOurForm } from "./form-token.ts";
import { shown } from "./replies.ts";
import { confirmEmailView, deadConfirmationView, emailConfirmedView } from "./views/confirm-email-views.ts";
import { staleView } from "./views/stale-view.ts";
import { type BrowserFacts, deviceOf, type Submission } from "./visit.ts";

interface ConfirmationVisit {
  readonly query: { readonly token: string };
  readonly request: BrowserFacts;
}

export const confirmEmailPage = async ({ query, request }: ConfirmationVisit) => {
  const { token, cookies } = formGuard(request);
  return shown(200, confirmEmailView({ mailedToken: query.token, token }), { cookies });
};

type ConfirmationStep = Submission<{ readonly token: string }>;

/** Whether the mail's token was still good. */
const confirm = async ({ body, request }: ConfirmationStep): Promise<boolean> => {
  try {
    await confirmEmail(body.token, deviceOf(request));
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === "invalid_confirmation_token") return false;
    throw error;
  }
};

/** Confirms an email with the mail's token, once. */
export const confirmEmailStep = async (step: ConfirmationStep) => {
  const again = `/v1/sign-in/confirm-email?${new URLSearchParams({ token: step.body.token })}`;
  if (!isOurForm(step)) return shown(403, staleView(again));
  return (await confirm(step)) ? shown(200, emailConfirmedView()) : shown(422, deadConfirmationView());
};
