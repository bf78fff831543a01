import MailComposer from "nodemailer/lib/mail-composer";
import type { OutgoingEmail } from "../vendor.ts";

/** An email as bytes (RFC 5322), without the header `Bcc`. The library writes the brackets of message ids. */
export const mimeOf = (email: OutgoingEmail): Promise<Buffer> => {
  const { from, to, cc, reply_to, subject, text, html, message_id, in_reply_to, references, headers } = email;
  const composer = new MailComposer({
    from: from.name === undefined ? from.email : { name: from.name, address: from.email },
    to: [...to],
    cc: [...cc],
    ...(reply_to !== undefined && { replyTo: reply_to }),
    subject,
    ...(text !== undefined || html === undefined ? { text: text ?? "" } : {}),
    ...(html !== undefined && { html }),
    ...(message_id !== undefined && { messageId: message_id }),
    ...(in_reply_to !== undefined && { inReplyTo: in_reply_to }),
    ...(references.length > 0 && { references: [...references] }),
    headers: { ...headers },
    attachments: email.attachments.map(({ filename, type, content, disposition, content_id }) => ({
      filename,
      contentType: type,
      content,
      contentDisposition: disposition,
      ...(content_id !== undefined && { cid: content_id }),
    })),
    // Contents are bytes and text: no file and no address is read.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "\r\n",
  });
  return composer.compile().build();
};
