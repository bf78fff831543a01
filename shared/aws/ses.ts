import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";

const client = new SESv2Client({});

export interface PlainMail {
  /** Of a domain that is a verified identity. */
  readonly from: string;
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

/** Hands one mail to SES, which has accepted it when this resolves. */
export const sendPlainMail = async ({ from, to, subject, text }: PlainMail): Promise<void> => {
  await client.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
    }),
  );
};
