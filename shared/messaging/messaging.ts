import { sendPlainMail } from "../aws/ses.ts";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";

export interface MailMessage {
  /** An email address. */
  readonly to: string;
  /** One line. It shows on locked screens, so it holds no secret. */
  readonly subject: string;
  readonly text: string;
}

/**
 * Everything that the platform mails goes through here. Resolves when the mail service has accepted it.
 * Raises `dependency_unavailable` if it does not.
 */
export const sendMail = async ({ to, subject, text }: MailMessage): Promise<void> => {
  try {
    await sendPlainMail({ from: env.mailSender(), to, subject, text });
  } catch (cause) {
    const headers = { "retry-after": "10" };
    throw new Fault("dependency_unavailable", { message: "The mail could not be sent; try again.", headers, cause });
  }
};
