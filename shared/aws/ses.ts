import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";

const client = new SESv2Client({});

export interface PlainMail {
  /** Of a domain that is a verified identity. */
  readonly from: string;
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** Whole milliseconds after which it is given up, retries included. */
  readonly within: number;
}

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

const abortion = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/**
 * Hands one mail to SES, which has accepted it when this resolves. Raises a TimeoutError if SES has not
 * answered in time; it may accept the mail all the same. The SDK itself would wait without end, and does not look at the
 * signal while it pauses between two attempts.
 */
export const sendPlainMail = async ({ from, to, subject, text, within }: PlainMail): Promise<void> => {
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
  });
  const abortSignal = AbortSignal.timeout(within);
  // In this order, so that it is the time-out that is raised and not what the SDK makes of it.
  await Promise.race([abortion(abortSignal), client.send(command, { abortSignal })]);
};
