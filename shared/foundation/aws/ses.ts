import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { inTime } from "./in-time.ts";

const client = new SESv2Client({});

export interface PlainMail {
  /** An address of a verified domain. */
  readonly from: string;
  readonly to: string;
  /** The subject, one line. */
  readonly subject: string;
  readonly text: string;
  /** A time limit in whole milliseconds, retries included. */
  readonly within: number;
}

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

/**
 * Sends a mail by SES. Resolves when SES has accepted it. Raises a TimeoutError if SES does not answer in time; it may
 * accept the mail nevertheless.
 */
export const sendPlainMail = async ({ from, to, subject, text, within }: PlainMail): Promise<void> => {
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
  });
  await inTime(within, (abortSignal) => client.send(command, { abortSignal }));
};

interface RawMail extends Pick<PlainMail, "from" | "within"> {
  /** All recipients. */
  readonly to: readonly string[];
  /** RFC 5322. */
  readonly raw: Uint8Array;
}

/** A client that does not repeat calls: what SES has taken must not be sent again. */
let once: SESv2Client | undefined;

/** Sends a composed mail by SES, and gives its id. Raises as `sendPlainMail`, and whatever SES refuses. */
export const sendRawMail = async ({ from, to, raw, within }: RawMail): Promise<string | undefined> => {
  once ??= new SESv2Client({ maxAttempts: 1 });
  const client = once;
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [...to] },
    Content: { Raw: { Data: raw } },
  });
  const { MessageId } = await inTime(within, (abortSignal) => client.send(command, { abortSignal }));
  return MessageId;
};
