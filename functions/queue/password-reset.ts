import { passwordResetMessage } from "#contracts/platform-messages";
import { mailPasswordReset } from "#shared/identity/identity";
import { consume } from "#shared/lambda/queue/consume";

export const handler = consume(passwordResetMessage)(({ payload, once }) =>
  mailPasswordReset(payload.email, payload.device, once),
);
