import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import type { SdkAnswer, Service } from "../service.ts";
import { formatMail, type Mail } from "./message.ts";

/** A sent mail, for observers of the platform, without its contents. */
export interface MailLog {
  readonly to: readonly string[];
  readonly subject: string;
  readonly file: string;
}

const line = z.string().regex(/^[^\r\n]*$/, "line breaks are not allowed");
const address = line.regex(/@/, "not an address");
const content = z.strictObject({ Data: z.string(), Charset: z.literal("UTF-8").optional() });

/** Characters of a raw mail: 40 MB in base64. */
const MOST_RAW = 54_000_000;

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
const sendEmail = z.strictObject({
  FromEmailAddress: address,
  Destination: z.strictObject({ ToAddresses: z.array(address).min(1).max(50) }),
  Content: z.union([
    z.strictObject({
      Simple: z.strictObject({ Subject: content.extend({ Data: line }), Body: z.strictObject({ Text: content }) }),
    }),
    z.strictObject({ Raw: z.strictObject({ Data: z.base64().max(MOST_RAW) }) }),
  ]),
});

interface Options {
  readonly clock: Clock;
  /** The folder of the mails, one `.eml` file each. */
  readonly directory: string;
  readonly onMail: (mail: MailLog) => void;
}

const parse = (body: string): z.output<typeof sendEmail> => {
  const parsed = sendEmail.safeParse(JSON.parse(body));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ServiceError("BadRequestException", `${issue?.path.join(".")}: ${issue?.message}`);
};

/** SES, API version 2. No mail leaves this machine: each becomes a file that only this user can read. */
export const ses = ({ clock, directory, onMail }: Options): Service => {
  let sent = 0;

  const keep = (recipient: string, at: Date, content: string | Buffer): string => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    sent += 1;
    const time = at.toISOString().replaceAll(":", "-");
    const to = recipient.replaceAll(/[^\w.@+-]/g, "_");
    const file = join(directory, `${time}-${String(sent).padStart(4, "0")}-${to}.eml`);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };

  const send = (call: SdkCall): SdkAnswer => {
    const { FromEmailAddress: from, Destination, Content } = parse(call.body);
    const domain = from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
    const identity = arn("ses", `identity/${domain}`);
    call.authorize("ses:SendEmail", identity, { "ses:FromAddress": from });
    // SES checks both for a composed mail.
    if ("Raw" in Content) call.authorize("ses:SendRawEmail", identity, { "ses:FromAddress": from });
    const { ToAddresses: to } = Destination;
    const id = randomUUID();
    const at = new Date(clock.now());
    if ("Raw" in Content) {
      const raw = Buffer.from(Content.Raw.Data, "base64");
      const subject = /^Subject: (.*)$/im.exec(raw.toString("latin1"))?.[1] ?? "";
      onMail({ to, subject, file: keep(to[0] ?? "", at, raw) });
    } else {
      const { Subject, Body } = Content.Simple;
      const mail: Mail = { id, from, to, subject: Subject.Data, text: Body.Text.Data, sent: at };
      onMail({ to, subject: mail.subject, file: keep(to[0] ?? "", at, formatMail(mail)) });
    }
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ MessageId: id }) };
  };

  return {
    name: "ses",
    resources: {},
    endpoint: {
      signingName: "ses",
      protocol: "rest-json",
      answer: async (call) => {
        const path = `${call.method} /${call.segments.join("/")}`;
        if (path === "POST /v2/email/outbound-emails") return send(call);
        throw new ServiceError("NotFoundException", `The local platform does not support ses ${path}.`, 404);
      },
    },
  };
};
