import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { inTime } from "./in-time.ts";

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

/**
 * Hands one mail to SES, which has accepted it when this resolves. Raises a TimeoutError if SES has not
 * answered in time; it may accept the mail all the same.
 */
export const sendPlainMail = async ({ from, to, subject, text, within }: PlainMail): Promise<void> => {
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
  });
  await inTime(within, (abortSignal) => client.send(command, { abortSignal }));
};
