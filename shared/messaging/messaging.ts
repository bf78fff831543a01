import { sendPlainMail } from "#shared/foundation/aws/ses";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";

export interface MailMessage {
  /** An email address. */
  readonly to: string;
  /** One line. It shows on locked screens, so it holds no secret. */
  readonly subject: string;
  readonly text: string;
}

/** Much longer than SES takes, and short enough for whoever waits. */
const PATIENCE_MS = 5_000;

/**
 * Everything that the platform mails goes through here. Resolves when the mail service has accepted it.
 * Raises `dependency_unavailable` if it does not, within so many whole milliseconds.
 */
export const sendMail = async ({ to, subject, text }: MailMessage, within = PATIENCE_MS): Promise<void> => {
  try {
    await sendPlainMail({ from: env.mailSender(), to, subject, text, within });
  } catch (cause) {
    const headers = { "retry-after": "10" };
    throw new Fault("dependency_unavailable", { message: "The mail could not be sent; try again.", headers, cause });
  }
};
