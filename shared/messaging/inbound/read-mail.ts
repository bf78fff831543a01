import { isObject } from "#shared/foundation/is-object";
import { mailLimits } from "./mail-limits.ts";
import { type FormPart, parseMultipart } from "./multipart.ts";
import { isCut, lineOf, parseMime, textOf } from "./parse-mime.ts";
import type { Delivery, ParsedMail } from "./parsed-mail.ts";
import { unreadable } from "./unreadable.ts";

/** A received mail as its vendor has passed it on. */
export interface ReceivedMail {
  readonly mail: ParsedMail;
  readonly delivery: Delivery;
}

const jsonOf = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
};

const decoded = (content: Buffer, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(content);
  } catch {
    return new TextDecoder("utf-8").decode(content);
  }
};

/** The fields of the form by name, each in the charset that the field `charsets` names. The first one counts. */
const fieldsOf = (parts: readonly FormPart[]): Map<string, string> => {
  const raw = new Map<string, Buffer>();
  for (const { name, filename, content } of parts) if (filename === undefined && !raw.has(name)) raw.set(name, content);
  const charsets = jsonOf(raw.get("charsets")?.toString("utf8"));
  const charsetOf = (name: string): string => {
    const named: unknown = isObject(charsets) && Object.hasOwn(charsets, name) ? charsets[name] : undefined;
    return typeof named === "string" ? named : "utf-8";
  };
  return new Map([...raw].map(([name, content]) => [name, decoded(content, charsetOf(name))]));
};

const envelopeOf = (text: string | undefined): Pick<Delivery, "envelope_from" | "envelope_to"> => {
  const envelope = jsonOf(text);
  const { from, to } = isObject(envelope) ? envelope : { from: undefined, to: undefined };
  const list: unknown[] = Array.isArray(to) ? to : [];
  const addresses = list.filter((one): one is string => typeof one === "string").slice(0, mailLimits.addresses);
  return {
    envelope_from: typeof from === "string" ? lineOf(from, 320).toLowerCase() : undefined,
    envelope_to: addresses.map((one) => lineOf(one, 320).toLowerCase()),
  };
};

/** `{@example.test : pass}` → the results by domain, as SendGrid writes them. */
const dkimOf = (text: string): { domain: string; result: string }[] =>
  [...text.slice(0, 2_000).matchAll(/@?([\w.-]{1,255})\s*:\s*(\w{1,30})/g)].map(([, domain = "", result = ""]) => ({
    domain: domain.toLowerCase(),
    result: result.toLowerCase(),
  }));

const numberOf = (text: string | undefined): number | undefined => {
  const number = Number(text);
  return text === undefined || text.trim() === "" || !Number.isFinite(number) ? undefined : number;
};

/** What the vendor has found. What the mail itself says (Authentication-Results) is the sender's word and not kept. */
const authenticationOf = (fields: ReadonlyMap<string, string>): Record<string, unknown> => {
  const spf = fields.get("SPF") ?? fields.get("spf");
  const dkim = fields.get("dkim");
  const score = numberOf(fields.get("spam_score"));
  const report = fields.get("spam_report");
  const address = fields.get("sender_ip");
  return {
    ...(spf !== undefined && { spf: lineOf(spf, 60).toLowerCase() }),
    ...(dkim !== undefined && { dkim: dkimOf(dkim) }),
    ...(score !== undefined && { spam_score: score }),
    ...(report !== undefined && { spam_report: report.slice(0, 4_000).toWellFormed().replaceAll("\u0000", "") }),
    ...(address !== undefined && { sender_ip: lineOf(address, 60) }),
  };
};

/** `{"attachment1": {"filename": …, "name": …, "type": …, "content-id": …}}` → facts by the name of the part. */
const infoOf = (fields: ReadonlyMap<string, string>, name: string): Record<string, unknown> => {
  const all = jsonOf(fields.get("attachment-info"));
  const info: unknown = isObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  return isObject(info) ? info : {};
};

/**
 * The form that SendGrid sends without its option for the raw message. Its headers say who, whom and what: they are
 * parsed as those of any mail, and the bodies and files are the form's.
 */
const parsedForm = async (parts: readonly FormPart[], fields: ReadonlyMap<string, string>): Promise<ParsedMail> => {
  const text = fields.get("headers") ?? "";
  const fallback = ["from", "to", "cc", "subject"].flatMap((name) => {
    const value = fields.get(name);
    return value === undefined ? [] : [`${name}: ${lineOf(value, 32_000)}`];
  });
  // The headers of a mail that has MIME parts describe a body that is not here.
  const lines = text === "" ? fallback : text.split(/\r?\n(?![ \t])/).filter((line) => !/^content-/i.test(line));
  const head = await parseMime(Buffer.from(`${lines.join("\n").split(/\n{2,}/, 1)[0] ?? ""}\n\n`));
  const attachments = parts
    .filter(({ filename }) => filename !== undefined)
    .map(({ name, filename, type, content }, index) => {
      const cid = infoOf(fields, name)["content-id"];
      return {
        filename: lineOf(filename ?? "", 200) || `attachment-${index + 1}`,
        type,
        disposition: typeof cid === "string" ? ("inline" as const) : ("attachment" as const),
        content_id: typeof cid === "string" ? lineOf(cid, 200).replaceAll(/^<|>$/g, "") : undefined,
        content,
      };
    });
  const [html, plain] = [fields.get("html"), fields.get("text")];
  return { ...head, html: textOf(html), text: textOf(plain), isCut: isCut(html, plain), attachments };
};

const fromForm = async (body: Buffer, contentType: string): Promise<ReceivedMail> => {
  const parts = parseMultipart(body, contentType);
  const fields = fieldsOf(parts);
  const raw = parts.find(({ name }) => name === "email")?.content;
  if (raw === undefined && !fields.has("headers") && !fields.has("from"))
    throw unreadable("The form has neither the field `email` nor `headers`: it is no mail.");
  const mail = raw === undefined ? await parsedForm(parts, fields) : await parseMime(raw);
  return { mail, delivery: { ...envelopeOf(fields.get("envelope")), authentication: authenticationOf(fields) } };
};

/** Reads a mail: SendGrid's Inbound Parse, raw or parsed, or `message/rfc822`. Raises `unreadable_webhook`. */
export const readMail = async (body: Buffer, contentType: string): Promise<ReceivedMail> => {
  if (/^\s*multipart\/form-data\b/i.test(contentType)) return fromForm(body, contentType);
  const mail = await parseMime(body);
  const paths = mail.headers.get("return-path") ?? [];
  const envelope_from = paths.length === 0 ? undefined : (/<([^<>]*)>/.exec(paths[0] ?? "")?.[1] ?? "").toLowerCase();
  return { mail, delivery: { envelope_from, envelope_to: [], authentication: {} } };
};
