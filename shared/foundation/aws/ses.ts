import { SESv2Client, SESv2ServiceException, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { inTime } from "./in-time.ts";
import { sentOnce } from "./sent-once.ts";

/** SES has no idempotency key. */
const client = new SESv2Client(sentOnce);

export interface PlainMail {
  /** An address of a verified domain. */
  readonly from: string;
  readonly to: string;
  /** The subject, one line. */
  readonly subject: string;
  readonly text: string;
  /** A time limit in whole milliseconds. */
  readonly within: number;
}

/**
 * `refused`: it will never be accepted. `retry`: SES has not accepted it and may later. `unclear`: nobody knows whether
 * SES has accepted it.
 */
export type MailAnswer =
  | { readonly outcome: "accepted"; readonly id: string }
  | { readonly outcome: "refused" | "retry" | "unclear"; readonly reason: string };

/** Faults of the mail itself. All others are of the account, the service or the network. */
const REFUSED: ReadonlySet<string> = new Set(["MessageRejected", "BadRequestException"]);

/** The connection was not made, so that SES cannot have the mail. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const answerOf = (error: unknown): MailAnswer => {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof SESv2ServiceException) return { outcome: REFUSED.has(error.name) ? "refused" : "retry", reason };
  return { outcome: NOT_CONNECTED.has(codeOf(error)) ? "retry" : "unclear", reason };
};

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

/** Sends a mail by SES. */
export const sendPlainMail = async ({ from, to, subject, text, within }: PlainMail): Promise<MailAnswer> => {
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
  });
  try {
    const { MessageId = "" } = await inTime(within, (abortSignal) => client.send(command, { abortSignal }));
    return { outcome: "accepted", id: MessageId };
  } catch (error) {
    return answerOf(error);
  }
};

interface RawMail extends Pick<PlainMail, "from" | "within"> {
  /** All recipients. */
  readonly to: readonly string[];
  /** RFC 5322. */
  readonly raw: Uint8Array;
  readonly configurationSet: string;
  /** What its events name. Letters, digits, `_` and `-`. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * Sends a composed mail by SES, and gives its id. Raises a TimeoutError if SES does not answer in time, when it may
 * have accepted the mail nevertheless, and whatever SES refuses.
 */
export const sendRawMail = async (mail: RawMail): Promise<string | undefined> => {
  const { from, to, raw, configurationSet, tags, within } = mail;
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [...to] },
    Content: { Raw: { Data: raw } },
    ConfigurationSetName: configurationSet,
    EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  });
  const { MessageId } = await inTime(within, (abortSignal) => client.send(command, { abortSignal }));
  return MessageId;
};
