/** The values of `auth_credential` records of vendors, checked when they are saved. */
import * as z from "zod";

/** Visible ASCII: it becomes a part of a header or a command. */
const secret = (max = 1_000) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x21-\x7e]+$/, "Expected visible ASCII characters.");
const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]+$/u, "Control characters are not allowed.");
const publicKey = z.string().min(20).max(2_000);
const webhookSecret = z.string().min(8).max(500);
/** The address `reply+<token>@<domain>` has at most 254 characters. */
const inboundDomain = z
  .string()
  .max(200)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i,
    "Expected the name of a domain.",
  );
const pem = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^-----BEGIN [A-Z ]+-----/, "Expected PEM.");

export const sendgridValue = z.strictObject({
  api_key: secret(),
  webhook_public_key: publicKey.optional(),
  webhook_secret: webhookSecret.optional(),
  inbound_public_key: publicKey.optional(),
  /** Its MX record leads to the vendor, which gives what it receives to the webhook. Answers go there. */
  inbound_domain: inboundDomain.optional(),
});

export const smtpValue = z
  .strictObject({
    host: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, "Expected the name or the address of a host."),
    port: z.int().min(1).max(65_535),
    username: line(500).optional(),
    password: line(1_000).optional(),
    secure: z.enum(["tls", "starttls", "none"]),
    /** Of a server whose certificate no public authority has issued. */
    ca: pem(20_000).optional(),
    webhook_secret: webhookSecret.optional(),
    inbound_domain: inboundDomain.optional(),
  })
  .refine(({ secure, password }) => secure !== "none" || password === undefined, {
    message: "A password is not sent without TLS.",
    path: ["secure"],
  })
  .refine(({ username, password }) => (username === undefined) === (password === undefined), {
    message: "A user name needs a password, and a password a user name.",
    path: ["password"],
  });

export const twilioValue = z.strictObject({
  account_sid: z.string().regex(/^AC[0-9a-fA-F]{32}$/, "Expected AC and 32 hexadecimal digits."),
  auth_token: secret(),
  from: z.string().regex(/^(?:\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|[A-Za-z0-9 ]{1,11})$/, "Expected a number in E.164."),
});

export const fcmValue = z.strictObject({
  service_account: z.object({
    project_id: z.string().regex(/^[a-z][a-z0-9:.-]{1,100}$/, "Expected the id of a project."),
    client_email: z.email(),
    private_key: pem(10_000),
  }),
});

const base64url = (length: number) => z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${length}}$`), "Expected base64url.");

export const webpushValue = z.strictObject({
  // 65 bytes of an uncompressed point of P-256, and 32 bytes of a scalar.
  public_key: base64url(87),
  private_key: base64url(43),
  subject: z
    .string()
    .max(500)
    .regex(/^(?:mailto:|https:\/\/)\S+$/, "Expected mailto: or https:."),
});

/** Kind of a credential → provider → the form of its value. */
export const vendorValues: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  emailvendor: { sendgrid: sendgridValue, smtp: smtpValue },
  smsvendor: { twilio: twilioValue },
  pushvendor: { fcm: fcmValue, webpush: webpushValue },
};
