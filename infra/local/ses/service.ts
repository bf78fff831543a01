import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { declare, type ResourceRequest, refuse, type SdkAnswer, type Service, tags } from "../service.ts";
import type { Topics } from "../sns/service.ts";
import { eventsOf, type TakenMail } from "./events.ts";
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

/** Of names and values of tags. */
const TAG = /^[\w.@-]{1,256}$/;

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
  ConfigurationSetName: z.string().optional(),
  EmailTags: z
    .array(z.strictObject({ Name: z.string().regex(TAG), Value: z.string().regex(TAG) }))
    .max(50)
    .default([]),
});

const eventType = z.enum(["send", "reject", "bounce", "complaint", "delivery", "deliveryDelay"]);
export type EventType = z.output<typeof eventType>;

const configurationSet = z.strictObject({ Name: z.string(), Tags: tags.optional() });

const eventDestination = z.strictObject({
  ConfigurationSetName: z.string(),
  EventDestination: z.strictObject({
    Name: z.string().optional(),
    Enabled: z.boolean().default(true),
    MatchingEventTypes: z.array(eventType).min(1),
    SnsDestination: z.strictObject({ TopicARN: z.string() }),
  }),
});

interface Destination {
  readonly properties: z.output<typeof eventDestination>;
  readonly request: ResourceRequest;
}

interface Options {
  readonly clock: Clock;
  /** The folder of the mails, one `.eml` file each. */
  readonly directory: string;
  readonly onMail: (mail: MailLog) => void;
  readonly topics: Topics;
}

const parse = (body: string): z.output<typeof sendEmail> => {
  const parsed = sendEmail.safeParse(JSON.parse(body));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ServiceError("BadRequestException", `${issue?.path.join(".")}: ${issue?.message}`);
};

/** SES, API version 2. No mail leaves this machine: each becomes a file that only this user can read. */
export const ses = ({ clock, directory, onMail, topics }: Options): Service => {
  let sent = 0;
  const sets = new Set<string>();
  const destinations: Destination[] = [];
  const setArn = (name: string): string => arn("ses", `configuration-set/${name}`);
  const publisherOf = (name: string) => ({ service: "ses.amazonaws.com", sourceArn: setArn(name) });

  /** Before the answer, so that a kill of the platform loses no event. */
  const report = (name: string, mail: TakenMail): void => {
    for (const { ConfigurationSetName, EventDestination } of destinations.map(({ properties }) => properties)) {
      if (ConfigurationSetName !== name || !EventDestination.Enabled) continue;
      const { MatchingEventTypes: wanted, SnsDestination } = EventDestination;
      for (const { type, body } of eventsOf(mail)) {
        if (wanted.includes(type)) topics.publish(SnsDestination.TopicARN, body, publisherOf(name));
      }
    }
  };

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
    const { FromEmailAddress: from, Destination, Content, ConfigurationSetName: set, EmailTags } = parse(call.body);
    const domain = from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
    const identity = arn("ses", `identity/${domain}`);
    for (const resource of [identity, ...(set === undefined ? [] : [setArn(set)])]) {
      call.authorize("ses:SendEmail", resource, { "ses:FromAddress": from });
      // SES checks both for a composed mail.
      if ("Raw" in Content) call.authorize("ses:SendRawEmail", resource, { "ses:FromAddress": from });
    }
    if (set !== undefined && !sets.has(set)) {
      throw new ServiceError("NotFoundException", `Configuration set <${set}> does not exist.`, 404);
    }
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
    const tagged = Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, [Value]]));
    if (set !== undefined) report(set, { id, from, to, tags: tagged, at });
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ MessageId: id }) };
  };

  return {
    name: "ses",
    resources: {
      "AWS::SES::ConfigurationSet": declare(configurationSet, ({ Name }, request) => {
        if (sets.has(Name)) return refuse(request, `the configuration set ${Name} exists twice`);
        sets.add(Name);
        return { ref: Name };
      }),
      "AWS::SES::ConfigurationSetEventDestination": declare(eventDestination, (properties, request) => {
        const { ConfigurationSetName: name } = properties;
        if (!sets.has(name)) return refuse(request, `there is no configuration set ${name}`);
        destinations.push({ properties, request });
        return { ref: request.logicalId, attributes: { Id: request.logicalId } };
      }),
    },
    start: () => {
      for (const { properties, request } of destinations) {
        const { ConfigurationSetName: name, EventDestination } = properties;
        const refusal = topics.refusal(EventDestination.SnsDestination.TopicARN, publisherOf(name));
        if (refusal !== undefined) refuse(request, refusal);
      }
    },
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
