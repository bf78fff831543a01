import { sendPlainMail } from "#shared/foundation/aws/ses";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";

export interface MailMessage {
  /** An email address. */
  readonly to: string;
  /** One line, without secrets, because locked screens show it. */
  readonly subject: string;
  readonly text: string;
}

/** Much longer than SES usually takes. */
const PATIENCE_MS = 5_000;

/**
 * Sends all mail of the platform. Resolves when the mail service has accepted it. Raises `dependency_unavailable` if it
 * does not accept the mail within so many whole milliseconds.
 */
export const sendMail = async ({ to, subject, text }: MailMessage, within = PATIENCE_MS): Promise<void> => {
  try {
    await sendPlainMail({ from: env.mailSender(), to, subject, text, within });
  } catch (cause) {
    const headers = { "retry-after": "10" };
    throw new Fault("dependency_unavailable", { message: "The mail could not be sent; try again.", headers, cause });
  }
};
