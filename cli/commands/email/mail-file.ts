import { writeFile } from "node:fs/promises";
import MailComposer from "nodemailer/lib/mail-composer";
import type { Platform } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { Failure } from "../../failure.ts";
import { isObject, type Json, textOf } from "../../json.ts";
import { say } from "../../terminal/terminal.ts";
import { plain } from "../../terminal/text.ts";

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The attached documents, of at most 4 MiB each. Files that came with the request are not readable afterwards: they are named as left out. */
const attachmentsOf = async ({ call }: Platform, listed: unknown) => {
  const found = [];
  for (const one of Array.isArray(listed) ? listed.filter(isObject) : []) {
    const filename = textOf(one.filename) ?? "file";
    const document = textOf(one.document);
    if (document === undefined) {
      say(`Left out: ${plain(filename)}. It was sent with the request, and only documents can be downloaded.`);
      continue;
    }
    const reply = await call({ method: "GET", path: path`/v1/documents/${document}/content`, repeatable: true });
    found.push({
      filename,
      content: Buffer.from(reply.body as Uint8Array),
      contentType: textOf(one.type),
      contentDisposition: one.disposition === "inline" ? ("inline" as const) : ("attachment" as const),
      cid: textOf(one.content_id),
    });
  }
  return found;
};

/**
 * Writes an email as a file that mail programs open (RFC 5322, `.eml`). Its headers are those of the record: what a
 * vendor adds on the way is not known. @throws Failure if a document may not be read, or
 * the file cannot be written
 */
export const writeMailFile = async (platform: Platform, message: Json, file: string): Promise<void> => {
  const address = textOf(message.from_email);
  const name = textOf(message.from_name);
  const date = textOf(message.created_date);
  const html = textOf(message.body);
  const messageId = textOf(message.message_id);
  const composer = new MailComposer({
    ...(address !== undefined && { from: name === undefined ? address : { name, address } }),
    to: listOf(message.to),
    cc: listOf(message.cc),
    replyTo: textOf(message.reply_to),
    subject: textOf(message.subject),
    text: textOf(message.text) ?? "",
    ...(html !== undefined && { html }),
    ...(messageId !== undefined && { messageId }),
    ...(date !== undefined && { date: new Date(date) }),
    attachments: await attachmentsOf(platform, message.attachments),
    // Contents are bytes and text: no file and no address is read.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "\r\n",
  });
  const mail = await composer.compile().build();
  try {
    await writeFile(file, mail);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new Failure("usage", `The file ${file} cannot be written${code}.`);
  }
  say(`Wrote ${file}.`);
};
