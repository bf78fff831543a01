/** The parts of a mail in SES's API. */
export interface Mail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly sent: Date;
}

/** RFC 2047 §2: an encoded word has at most 75 characters, which hold 45 bytes. */
const WORD_BYTES = 45;

const headerText = (text: string): string => {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const words: string[] = [""];
  for (const character of text) {
    const last = words.at(-1) ?? "";
    if (Buffer.byteLength(last + character) > WORD_BYTES) words.push(character);
    else words[words.length - 1] = last + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join("\r\n ");
};

/** A mail in the format of RFC 5322. */
export const formatMail = ({ id, from, to, subject, text, sent }: Mail): string =>
  [
    `From: ${from}`,
    `To: ${to.join(", ")}`,
    `Subject: ${headerText(subject)}`,
    `Date: ${sent.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@local.tenantry.invalid>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    text.replaceAll(/\r?\n/g, "\r\n"),
  ].join("\r\n");
