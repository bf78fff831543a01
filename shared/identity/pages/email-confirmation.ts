import { password as passwordText } from "#contracts/identity-bodies";
import { Fault } from "#shared/foundation/faults";
import { confirmEmail } from "../identity.ts";
import { formGuard, isOurForm } from "./form-token.ts";
import { refusalOf } from "./refusals.ts";
import { shown } from "./replies.ts";
import { confirmEmailView, deadConfirmationView, emailConfirmedView } from "./views/email-confirmation-views.ts";
import { staleFormView } from "./views/form.ts";
import type { BrowserFacts, Submission } from "./visit.ts";

interface ConfirmationVisit {
  readonly query: { readonly token: string };
  readonly request: BrowserFacts;
}

export const confirmEmailPage = async ({ query, request }: ConfirmationVisit) => {
  const { token, cookies } = formGuard(request);
  return shown(200, confirmEmailView({ mailedToken: query.token, token }), { cookies });
};

type ConfirmationStep = Submission<{ readonly token: string; readonly password: string }>;

const confirm = async ({ body, request }: ConfirmationStep): Promise<void> => {
  const password = passwordText.safeParse(body.password);
  if (!password.success) throw new Fault("wrong_password");
  await confirmEmail(body.token, password.data, request.device);
};

/** Confirms an email with the mail's token and the account's password, once. */
export const confirmEmailStep = async (step: ConfirmationStep) => {
  const { token: mailedToken } = step.body;
  const again = `/v1/sign-in/confirm-email?${new URLSearchParams({ token: mailedToken })}`;
  if (!isOurForm(step)) return shown(403, staleFormView(again));
  try {
    await confirm(step);
    return shown(200, emailConfirmedView());
  } catch (error) {
    if (error instanceof Fault && error.code === "invalid_confirmation_token")
      return shown(422, deadConfirmationView());
    const { status, message: problem, headers } = refusalOf(error, ["wrong_password"]);
    const { token } = formGuard(step.request);
    const page = confirmEmailView({ mailedToken, token, problem, mistyped: status === 422 });
    return shown(status, page, { headers });
  }
};
