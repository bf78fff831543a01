import { randomBytes } from "node:crypto";
import { env } from "#shared/foundation/env";

/** 160 bits, so that links cannot be guessed. */
export const unsubscribeSecret = (): string => randomBytes(20).toString("base64url");

/** What a link is made of. It names a message, and neither its recipient nor anything about them. */
export interface UnsubscribeToken {
  readonly organization: string;
  readonly message: string;
  readonly secret: string;
}

const addressOf = (token: string): string => `${env.issuer()}/v1/public/unsubscribe/${token}`;

const linkOf = ({ organization, message, secret }: UnsubscribeToken): string =>
  addressOf(`${organization}.${message}.${secret}`);

const TOKEN = /^([\w-]{1,60})\.([\w-]{1,60})\.([\w-]{27})$/;

export const parseToken = (token: string): UnsubscribeToken | undefined => {
  const [, organization, message, secret] = TOKEN.exec(token) ?? [];
  if (organization === undefined || message === undefined || secret === undefined) return undefined;
  return { organization, message, secret };
};

/**
 * Stands for the recipient's own link in content that all recipients share (`{{ unsubscribe_url }}` in a template),
 * until the message is delivered.
 */
export const sharedLink = (): string => addressOf("recipient");

/** The content with the recipient's own link. */
export const withOwnLink = (content: string, token: UnsubscribeToken): string =>
  content.replaceAll(sharedLink(), linkOf(token));

/** RFC 2369 and RFC 8058. */
export const unsubscribeHeaders = (token: UnsubscribeToken): Readonly<Record<string, string>> => ({
  "List-Unsubscribe": `<${linkOf(token)}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});
