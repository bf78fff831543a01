import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { beyondLimits, firstHeaders, mailLimits } from "./mail-limits.ts";
import type { Mailbox, MailFile, ParsedMail } from "./parsed-mail.ts";
import { unreadable } from "./unreadable.ts";

/** One line without control characters. */
export const lineOf = (text: string, most: number = mailLimits.line): string =>
  text
    .slice(0, most * 4)
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, most);

/** MongoDB stores no lone surrogates, and nobody reads control characters. */
export const textOf = (text: string | undefined): string | undefined =>
  text === undefined
    ? undefined
    : text
        .slice(0, mailLimits.content)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: all but tab, line feed and carriage return.
        .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "")
        .toWellFormed();

/** Whether `textOf` cuts one of them. */
export const isCut = (...texts: readonly (string | undefined)[]): boolean =>
  texts.some((text = "") => text.length > mailLimits.content);

/** `<a@b.test>` → `a@b.test`. */
const withoutBrackets = (id: string | undefined): string | undefined => {
  const plain = lineOf(id ?? "")
    .replace(/^</, "")
    .replace(/>$/, "")
    .trim();
  return plain === "" ? undefined : plain;
};

/** The ids of a header such as References, the last ones. */
const idsOf = (text: string | undefined): string[] => {
  const found = [...(text ?? "").slice(-32_000).matchAll(/<([^<>\s]{1,500})>/g)].map(([, id = ""]) => id);
  return [...new Set(found)].slice(-mailLimits.references);
};

const mailboxOf = ({ name, address = "" }: { name: string; address?: string | undefined }): Mailbox => ({
  email: lineOf(address, 320).toLowerCase(),
  name: lineOf(name, 200),
});

const mailboxesOf = (addresses: readonly Address[] | undefined): Mailbox[] =>
  (addresses ?? [])
    .flatMap((one) => one.group ?? [one])
    .map(mailboxOf)
    .filter(({ email }) => email.includes("@"))
    .slice(0, mailLimits.addresses);

const bytesOf = (content: Attachment["content"]): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer);

const fileOf = (file: Attachment, index: number): MailFile => ({
  filename: lineOf(file.filename ?? "", 200) || `attachment-${index + 1}`,
  type: lineOf(file.mimeType, 200),
  disposition: file.disposition === "inline" || file.related === true ? "inline" : "attachment",
  content_id: withoutBrackets(file.contentId),
  content: bytesOf(file.content),
});

const dateOf = (text: string | undefined): Date | undefined => {
  const date = new Date(text ?? "");
  return Number.isNaN(date.getTime()) ? undefined : date;
};

const headersOf = ({ headers }: Email): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const { key, value } of headers) found.set(key, [...(found.get(key) ?? []).slice(0, 20), lineOf(value, 2_000)]);
  return found;
};

const mailOf = (email: Email): ParsedMail => ({
  from: mailboxesOf(email.from === undefined ? [] : [email.from])[0],
  to: mailboxesOf(email.to),
  cc: mailboxesOf(email.cc),
  reply_to: mailboxesOf(email.replyTo)[0],
  subject: lineOf(email.subject ?? ""),
  html: textOf(email.html),
  text: textOf(email.text),
  isCut: isCut(email.html, email.text),
  message_id: withoutBrackets(email.messageId),
  in_reply_to: idsOf(email.inReplyTo)[0] ?? withoutBrackets(email.inReplyTo),
  references: idsOf(email.references),
  date: dateOf(email.date),
  headers: headersOf(email),
  attachments: email.attachments.map(fileOf),
});

const parse = async (raw: Uint8Array): Promise<ParsedMail> =>
  mailOf(
    await PostalMime.parse(raw, {
      maxNestingDepth: mailLimits.nesting,
      maxHeadersSize: mailLimits.headerBytes,
      // Parsing a message in a message costs as much again for each level.
      forceRfc822Attachments: true,
      attachmentEncoding: "arraybuffer",
    }),
  );

const isLimit = (error: unknown): error is Error =>
  error instanceof Error && /^Maximum (MIME nesting depth|header size)/.test(error.message);

/**
 * Parses a mail (RFC 5322, MIME). One beyond the limits has its first headers and `refused`, so that it is not lost.
 * Raises `unreadable_webhook`.
 */
export const parseMime = async (raw: Uint8Array): Promise<ParsedMail> => {
  let refused = beyondLimits(raw);
  try {
    if (refused === undefined) return await parse(raw);
  } catch (error) {
    if (!isLimit(error)) throw unreadable("The mail cannot be parsed.", error);
    refused = error.message;
  }
  const { attachments: _, html: __, text: ___, ...head } = await parse(firstHeaders(raw));
  return { ...head, html: undefined, text: undefined, attachments: [], refused };
};
