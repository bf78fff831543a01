import { email as emailAddress } from "#contracts/identity-bodies";
import { askPasswordReset } from "../identity.ts";
import { stepAddress } from "./addresses.ts";
import { formGuard, isOurForm } from "./form-token.ts";
import { refusalOf } from "./refusals.ts";
import { shown } from "./replies.ts";
import { staleFormView } from "./views/form.ts";
import { forgotPasswordView, mailSentView } from "./views/new-password-views.ts";
import type { Step, Visit } from "./visit.ts";

export const forgotPasswordPage = async ({ query, request }: Visit) => {
  const { token, cookies } = formGuard(request);
  return shown(200, forgotPasswordView({ query, token }), { cookies });
};

/** Mails a link if there is an account with the address. The answer is the same in any case. */
export const forgotPasswordStep = async (step: Step<{ readonly email: string }>) => {
  const { query, body, request } = step;
  if (!isOurForm(step)) return shown(403, staleFormView(stepAddress("forgot-password", query)));
  const email = emailAddress.safeParse(body.email);
  const again = (problem: string) =>
    forgotPasswordView({ query, token: formGuard(request).token, email: body.email.slice(0, 254), problem });
  if (!email.success) return shown(422, again("This is no email address."));
  try {
    await askPasswordReset(email.data, request.device);
    return shown(200, mailSentView(query));
  } catch (error) {
    const { status, message, headers } = refusalOf(error, []);
    return shown(status, again(message), { headers });
  }
};
