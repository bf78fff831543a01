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

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
const sendEmail = z.strictObject({
  FromEmailAddress: address,
  Destination: z.strictObject({ ToAddresses: z.array(address).min(1).max(50) }),
  Content: z.strictObject({
    Simple: z.strictObject({ Subject: content.extend({ Data: line }), Body: z.strictObject({ Text: content }) }),
  }),
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

  const keep = (mail: Mail): string => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    sent += 1;
    const time = mail.sent.toISOString().replaceAll(":", "-");
    const to = (mail.to[0] ?? "").replaceAll(/[^\w.@+-]/g, "_");
    const file = join(directory, `${time}-${String(sent).padStart(4, "0")}-${to}.eml`);
    writeFileSync(file, formatMail(mail), { mode: 0o600 });
    return file;
  };

  const send = (call: SdkCall): SdkAnswer => {
    const { FromEmailAddress: from, Destination, Content } = parse(call.body);
    const domain = from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
    call.authorize("ses:SendEmail", arn("ses", `identity/${domain}`), { "ses:FromAddress": from });
    const { Subject, Body } = Content.Simple;
    const mail: Mail = {
      id: randomUUID(),
      from,
      to: Destination.ToAddresses,
      subject: Subject.Data,
      text: Body.Text.Data,
      sent: new Date(clock.now()),
    };
    onMail({ to: mail.to, subject: mail.subject, file: keep(mail) });
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ MessageId: mail.id }),
    };
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
